import { setTimeout as pause } from 'node:timers/promises';
import { createJsonLog } from '#adapters/log/json-log.ts';
import { serve } from '#app/serve.ts';
import { readConfig } from '#runtime/config.ts';

// The program in a process of its own, as `npm start` runs it, with a clock that lives faster: ten minutes of silence
// take ten seconds. The clock goes on while the process is dead.

const [realStart = 0, farmStart = 0, speed = 1] = (process.env['TEST_CLOCK'] ?? '').split(' ').map(Number);
const farmTime = () => farmStart + (Date.now() - realStart) * speed;

const log = createJsonLog('info');
// many run at once: each takes secured ports that are free, unless it is told others
const secured = ['--https-port', '0', '--mqtts-port', '0'];
/** The least argon2 takes: their passwords keep nothing safe, and no process of its own is started to hash them. */
const passwordCost = { memoryCost: 8, timeCost: 2 };
const running = await serve(readConfig([...secured, ...process.argv.slice(2)], {}), {
  wallClock: farmTime,
  monotonic: farmTime,
  random: Math.random,
  pause: (ms) => pause(ms),
  passwordCost,
  log,
  clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
});
process.on('SIGTERM', () => void running.stop().then(() => process.exit(0)));
log.info({ http: running.http, mqtt: running.mqtt, https: running.https, mqtts: running.mqtts }, 'ready');
