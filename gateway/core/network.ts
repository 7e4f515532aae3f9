/** An address, or all that begin with its first `bits`. */
export type Network = { address: string; family: 'ipv4' | 'ipv6'; bits: number };
