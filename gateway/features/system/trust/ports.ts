// The trust of the farm network: one authority that controllers and consoles pin, and the certificates it signs.

/** A certificate with its private key, both as PEM. */
export type Holder = { certificate: string; key: string };

/** Milliseconds since 1970. */
export type Validity = { notBefore: number; notAfter: number };

export type CertificateFacts = Validity & {
  /** SHA-256 over the public key (SubjectPublicKeyInfo), in base64: what is pinned. */
  pin: string;
  /** SHA-256 over the whole certificate, `AB:CD:…`: what a person compares. */
  fingerprint: string;
  /** False for an authority that may sign for any name on the internet: earlier versions made such. */
  isLimited: boolean;
};

export type CertificateMaker = {
  /** A new authority with a key of its own, for these names, `.local` and private networks, and no others. */
  authority: (names: readonly string[], validity: Validity) => Holder;
  /** The authority `of` as one that `by` vouches for, for the same names. */
  cross: (of: Holder, by: Holder, within: Validity & { names: readonly string[] }) => string;
  /** `names`: host names and IP addresses. */
  server: (what: { names: readonly string[]; commonName: string }, by: Holder, validity: Validity) => Holder;
  /** Throws for what is no certificate. */
  facts: (pem: string) => CertificateFacts;
  isPair: (holder: Holder) => boolean;
  /** True when a certificate below this authority may hold that name or address. */
  permits: (authority: string, name: string) => boolean;
};

/** What the gateway keeps of its authority. The next one is announced while the present one signs. */
export type TrustState = {
  format: 1;
  /** Grows with every change, so that the newer of two copies is known. */
  revision: number;
  present: Holder;
  next:
    | (Holder & {
        /** The next one, vouched for by the present one. */
        cross: string;
        cross_over_at: string;
        /** From then on who knows only the present one is not served any more. */
        retire_at: string;
      })
    | null;
  former: {
    certificate: string;
    /** The present one, vouched for by the former one: who pinned that still gets through. */
    cross: string;
    retire_at: string;
  } | null;
  /** Certificates of the authorities before, by which a later state is known from an earlier one. */
  retired: string[];
};

/** The certificate the gateway shows, and what belongs to it. */
export type ServerRecord = Holder & {
  /** Certificates sent behind it, up to the root. */
  chain: string[];
  names: string[];
  /** 48 bytes in base64, with which sessions are sealed that clients resume later. */
  ticket_key: string;
};

export type Found<Kept> =
  | {
      is: 'whole';
      kept: Kept;
      /** What was wrong with the copy that should have been read first; null: nothing. */
      mended: string | null;
    }
  | { is: 'absent' }
  | { is: 'damaged'; detail: string };

export type TrustStore = {
  readState: () => Promise<Found<TrustState>>;
  /** Both copies. Rejects when they cannot be stored. */
  writeState: (state: TrustState) => Promise<void>;
  readServer: () => Promise<Found<ServerRecord>>;
  writeServer: (record: ServerRecord) => Promise<void>;
};

/** How the box is called and where it can be reached on the farm network. */
export type Network = { hostname: string; addresses: readonly string[] };
