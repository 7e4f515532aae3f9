import type { ProbeTroubleCode } from '#contract/resources/probes.ts';

/** Bytes to and from the other end of a cable or a connection. */
export type ByteLink = {
  write: (bytes: Uint8Array) => void;
  /** One listener at a time. */
  listen: (onBytes: (bytes: Uint8Array) => void, onClose: () => void) => void;
  close: () => Promise<void>;
};

export type ByteLinkOpened = { is: 'open'; link: ByteLink } | { is: 'trouble'; code: ProbeTroubleCode };
