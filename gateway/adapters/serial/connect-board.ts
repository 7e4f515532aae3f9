import { setTimeout as pause } from 'node:timers/promises';
import { createEspBoard, type EspBoard } from './esp-board.ts';
import { type Connecting, type Greeted, greet, MAGIC_REGISTER, ROM_BAUD } from './greet-board.ts';
import type { SerialLink } from './open-port.ts';

const CHANGE_BAUDRATE = 0x0f;
const PROBE_TIMEOUT_MS = 500;

/**
 * Brings the board at the port into its loader, finds out which chip it is, starts the flasher stub and changes to the
 * faster baud; where the cable cannot do that, it goes on at 115,200. Throws EspTrouble, PortTrouble or the signal's
 * reason.
 */
export async function connectBoard(link: SerialLink, how: Connecting): Promise<EspBoard> {
  const board = await greet(link, how);
  if (how.baud === ROM_BAUD || (await changeBaud(board, link, how.baud))) return createEspBoard(board);
  how.say('slow');
  await board.transport.disconnect();
  try {
    return createEspBoard(await greet(link, how));
  } catch (error) {
    // taken back before it moved a line, it left the board in the loader of the first time
    await board.transport.resetIntoProgram().catch(() => false);
    throw error;
  }
}

async function changeBaud({ loader, transport }: Greeted, link: SerialLink, baud: number): Promise<boolean> {
  const question = Buffer.alloc(8);
  question.writeUInt32LE(baud, 0);
  // the stub wants to know what it speaks now
  question.writeUInt32LE(ROM_BAUD, 4);
  try {
    await loader.command(CHANGE_BAUDRATE, question);
    await transport.changeBaudrate(baud);
    await pause(20);
    await transport.drainInput(30, 30);
    await loader.readReg(MAGIC_REGISTER, PROBE_TIMEOUT_MS).catch(async () => {
      await loader.readReg(MAGIC_REGISTER, PROBE_TIMEOUT_MS);
    });
    return true;
  } catch {
    link.lost.throwIfAborted();
    return false;
  }
}
