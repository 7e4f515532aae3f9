import { writeFile } from 'node:fs/promises';
import { qrSvg, qrText } from '#adapters/discovery/qr-code.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { shownSetUpCode } from '#adapters/tokens/set-up-code.ts';
import { COMMAND } from '#contract/commands.ts';
import { codeOfPin } from '#contract/discovery.ts';
import { systemIdentityAnswer } from '#contract/resources/system-identity.ts';
import { readRun, runFileOf } from '#operations/doctor/run-file.ts';
import type { Command } from './session.ts';

const WITHIN_MS = 5_000;
const NOT_RUNNING = `The label shows where the gateway answers: start it first (sudo systemctl start ${COMMAND}; from the source npm start), then ask again`;

/** The label of the box: its QR code with addresses and pin, and the same for people who type. */
export const showLabel: Command = async ({ config, database, text }) => {
  const run = readRun(runFileOf(config));
  if (run === null || run.stopped_at !== null) throw new Error(NOT_RUNNING);
  const { name, addresses, ports, qr, gateway_id, authority } = await identityAt(run.address);
  if (qr === null) throw new Error('This instance has no authority of its own, so there is nothing to pin');
  const hosts = addresses.filter((address) => address.includes('.'));
  const lines = [
    `Gateway ${name}`,
    ...hosts.map((host) =>
      ports.https === null ? `http://${host}:${ports.http}/` : `https://${host}:${ports.https}/`,
    ),
    `id ${gateway_id}`,
    // for who pairs a PC: the same digits stand there
    ...(authority === null ? [] : [`code ${codeOfPin(authority.spki_sha256)}`]),
    // for the first account, made from another machine
    `set-up ${shownSetUpCode(await instanceValue(database.read, 'jwt_secret'))}`,
  ];
  const file = text('svg');
  if (file !== undefined) await writeFile(file, labelSvg(await qrSvg(qr), lines));
  const told = file === undefined ? `${await qrText(qr)}\n${lines.join('\n')}` : `The label is in ${file}`;
  return { sentence: told, value: { name, gateway_id, addresses, ports, qr, svg: file ?? null } };
};

async function identityAt(address: string) {
  try {
    const response = await fetch(`${address}/api/v1/system/identity`, {
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    return systemIdentityAnswer.parse(await response.json());
  } catch (cause) {
    throw new Error(NOT_RUNNING, { cause });
  }
}

const LINE = 26;

/** The code with its text below, as one picture to print and stick to the box. */
function labelSvg(code: string, lines: readonly string[]): string {
  const size = Number(/viewBox="0 0 (\d+)/.exec(code)?.[1] ?? 400);
  const height = size + LINE * (lines.length + 1);
  const words = lines
    .map((line, at) => `<text x="${size / 2}" y="${size + LINE * (at + 1)}">${escaped(line)}</text>`)
    .join('');
  const picture = code.replace('<svg ', `<svg width="${size}" height="${size}" `);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${height}"><rect width="${size}" height="${height}" fill="white"/>${picture}<g font-family="sans-serif" font-size="17" text-anchor="middle">${words}</g></svg>\n`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
