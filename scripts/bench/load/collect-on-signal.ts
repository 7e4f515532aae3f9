// Loaded before a gateway that is measured: garbage is collected when the bench asks, so that what is left is in use.
// Needs --expose-gc.

process.on('SIGUSR2', () => globalThis.gc?.());
