import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createModem, smsParts, ucs2Hex } from '#adapters/modem/create-modem.ts';
import { createAtLine, type ModemPort, reportIn, smsTrouble } from '#adapters/modem/start-modem.ts';
import { openPort } from '#adapters/serial/open-port.ts';
import { openPty, type Pty } from '#sim/board/open-pty.ts';
import { createSimulatedModem, type ModemFault, type SentSms } from '#sim/modem/modem.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const LOW = 'Oxigênio baixo no viveiro V-01.';

describe('the text of an SMS', () => {
  it('keeps its accents while it fits one message with them', () => {
    expect(smsParts(LOW)).toEqual({ coding: 'ucs2', parts: [LOW] });
    expect(smsParts('Aerator 3 is off')).toEqual({ coding: 'gsm', parts: ['Aerator 3 is off'] });
  });
  it('gives its accents up before it becomes a second message', () => {
    const long = `${LOW} O que fazer: ligue os aeradores, pare a ração e meça de novo em 15 minutos.`;
    expect(smsParts(long)).toEqual({
      coding: 'gsm',
      parts: [
        'Oxigenio baixo no viveiro V-01. O que fazer: ligue os aeradores, pare a racao e meca de novo em 15 minutos.',
      ],
    });
  });
  it('in Spanish gives up its accents and signs, and a year stays a year', () => {
    const long =
      '¿Oxígeno bajo en la piscina P-01? Encienda todos los aireadores ahora, pare el balanceado y mida de nuevo. El reloj está 2 años atrás.';
    expect(smsParts(long)).toEqual({
      coding: 'gsm',
      parts: [
        'Oxigeno bajo en la piscina P-01? Encienda todos los aireadores ahora, pare el balanceado y mida de nuevo. El reloj esta 2 anios atras.',
      ],
    });
  });
  it('cannot end the message at the modem, whatever a pond is called', () => {
    expect(smsParts('V\u001A-01\u001B\r\nAT+CPIN').parts).toEqual(['V -01 AT+CPIN']);
  });
  it('is at most three messages of what a message holds, of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (text) => {
        const { coding, parts } = smsParts(text);
        expect(parts.length).toBeLessThanOrEqual(3);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(coding === 'gsm' ? 160 : 70);
          expect(part).not.toMatch(coding === 'gsm' ? /[^ -Z a-z]/ : /\p{Cc}/u);
          expect(part.isWellFormed()).toBe(text.isWellFormed() || part.isWellFormed());
        }
        expect(ucs2Hex(text)).toHaveLength(text.length * 4);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what a modem says of a message', () => {
  it.each([
    ['+CMS ERROR: 28', 'refused'],
    ['+CMS ERROR: 331', 'unreachable'],
    ['+CMS ERROR: 42', 'retry'],
    ['+CMS ERROR: 500', 'retry'],
    ['ERROR', 'retry'],
  ])('%s is %s', (said, is) => {
    expect(smsTrouble(said).is).toBe(is);
  });
  it('a delivery report is read as modems write it', () => {
    const at = '"26/03/02,09:00:00-12"';
    expect(reportIn(`+CDS: 6,202,"+5585912345678",145,${at},${at},0`)).toEqual({
      hasArrived: true,
    });
    expect(reportIn(`+CDS: 6,203,,,${at},${at},70`)).toEqual({ hasArrived: false });
    expect(reportIn(`+CDS: 6,204,"+55",145,${at},${at},48`)).toBeNull();
  });
  it('noise neither stops the dialogue nor grows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), async (noise) => {
        const listeners = new Set<(bytes: Buffer) => void>();
        const say = (bytes: Uint8Array | string) => {
          for (const hear of listeners) hear(Buffer.from(bytes));
        };
        const port: ModemPort = {
          async write() {
            for (const bytes of noise) say(bytes);
            say('\r\nOK\r\n');
          },
          onData(hear) {
            listeners.add(hear);
            return () => void listeners.delete(hear);
          },
          lost: new AbortController().signal,
          close: () => Promise.resolve(),
        };
        const { result, lines } = await createAtLine(port, silent).ask('AT', { text: 'text' });
        expect(result).not.toBe('silent');
        expect(lines.length).toBeLessThanOrEqual(64);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a GSM modem on a serial port', () => {
  const open = { pty: null as Pty | null, modem: null as ReturnType<typeof createModem> | null };
  afterEach(async () => {
    await open.modem?.close();
    await open.pty?.close();
  });

  async function aModem(set: { fault?: ModemFault; simPin?: string; pin?: string } = {}) {
    const pty = await openPty();
    const sent: SentSms[] = [];
    const afterEachSms: { do: () => void } = { do: silent };
    const simulated = createSimulatedModem({
      write: pty.write,
      sent(sms) {
        sent.push(sms);
        afterEachSms.do();
      },
      pin: set.simPin ?? null,
      fault: set.fault ?? null,
    });
    pty.onData(simulated.feed);
    const refused = { is: false };
    const modem = createModem({
      log,
      now: () => 0,
      changed: () => undefined,
      port: pty.path,
      open: () => openPort(pty.path, 115_200),
      pin: {
        pin: set.pin ?? null,
        isRefused: () => Promise.resolve(refused.is),
        noteRefused: () => Promise.resolve(void (refused.is = true)),
      },
    });
    Object.assign(open, { pty, modem });
    return { modem, sent, simulated, pty, afterEachSms };
  }
  const sms = (text: string) => ({ id: text, number: '+5585912345678', text });

  it('sends plain and accented text and hears that it arrived', async () => {
    const { modem, sent } = await aModem();
    expect(await modem.sendSms(sms(LOW))).toEqual({ is: 'sent', parts: 1 });
    expect(await modem.sendSms(sms('Test 1'))).toEqual({ is: 'sent', parts: 1 });
    expect(sent.map(({ number, text, coding }) => ({ number, text, coding }))).toEqual([
      { number: '+5585912345678', text: LOW, coding: 'ucs2' },
      { number: '+5585912345678', text: 'Test 1', coding: 'gsm' },
    ]);
    await modem.look();
    expect(modem.facts()).toMatchObject({
      state: 'ready',
      model: 'Simulated GSM-1',
      operator: 'Rede Simulada',
      signalDbm: -75,
      sent: 2,
      arrived: 2,
    });
  });

  it.each([
    ['no-sim', 'no_sim', 'unreachable'],
    ['no-network', 'no_network', 'unreachable'],
    ['busy-network', 'ready', 'retry'],
    ['refuse', 'ready', 'refused'],
  ] as const)('with the fault %s is %s and a message is %s', async (fault, state, is) => {
    const { modem, sent } = await aModem({ fault });
    expect((await modem.sendSms(sms('Test'))).is).toBe(is);
    expect([modem.facts().state, sent]).toEqual([state, []]);
  });

  it('a second try goes on with the part that did not get out', async () => {
    const { modem, sent, simulated, afterEachSms } = await aModem();
    const long = 'ligue os aeradores '.repeat(14);
    const { parts } = smsParts(long);
    expect(parts).toHaveLength(2);
    afterEachSms.do = () => simulated.setFault('busy-network');
    expect((await modem.sendSms(sms(long))).is).toBe('retry');
    afterEachSms.do = silent;
    simulated.setFault(null);
    expect(await modem.sendSms(sms(long))).toEqual({ is: 'sent', parts: 2 });
    expect(sent.map(({ text }) => text)).toEqual(parts);
  });

  it('enters the PIN of its SIM, and a wrong one only once', async () => {
    const right = await aModem({ simPin: '1234', pin: '1234' });
    await right.modem.look();
    expect(right.modem.facts().state).toBe('ready');
    await right.modem.close();
    await right.pty.close();
    const wrong = await aModem({ simPin: '1234', pin: '9999' });
    for (let look = 0; look < 4; look += 1) await wrong.modem.look();
    expect([wrong.modem.facts().state, wrong.simulated.pinTries()]).toEqual(['pin_wrong', 2]);
  });

  it('is looked for again after it was pulled', async () => {
    const { modem, pty } = await aModem();
    await modem.look();
    await pty.close();
    expect((await modem.sendSms(sms('Test'))).is).toBe('unreachable');
    expect(modem.facts().state).toBe('no_port');
  });
});
