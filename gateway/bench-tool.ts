import '../scripts/require-node.mjs';
import { runBenchTool } from './bench/bench-tool.ts';

// The technician's command line: it starts without the gateway, whose parts it does not need.

const CANCELLED = 130;

const interrupt = new AbortController();
process.on('SIGINT', () => {
  // the second one does not wait for the board
  if (interrupt.signal.aborted) process.exit(CANCELLED);
  interrupt.abort();
});
const screen = process.stderr;

process.exitCode = await runBenchTool(process.argv.slice(2), {
  environment: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void screen.write(`${screen.isTTY ? '\r\x1b[K' : ''}${line}\n`),
  ...(screen.isTTY ? { renew: (line: string) => void screen.write(`\r\x1b[K${line}`) } : {}),
  signal: interrupt.signal,
  now: Date.now,
});
