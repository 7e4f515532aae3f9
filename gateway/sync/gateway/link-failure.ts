/** Why a request got no answer that can be used. */
export const LINK_FAILURES = ['unreachable', 'timeout', 'broken'] as const;
export type LinkFailureKind = (typeof LINK_FAILURES)[number];

/**
 * The network did not carry it: `unreachable` nobody answered at all, `timeout` too slow, `broken` the answer was cut,
 * too large or not what it should be. What became of the request is unknown in all three.
 */
export class LinkFailure extends Error {
  readonly why: LinkFailureKind;

  constructor(why: LinkFailureKind, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.why = why;
  }
}
