import type { Refused } from '../ports.ts';

/** Ends a request with what the gateway is told; nothing was written. */
export class RequestRefused extends Error {
  readonly refused: Refused;

  constructor(refused: Refused) {
    super(refused.detail);
    this.name = 'RequestRefused';
    this.refused = refused;
  }
}
