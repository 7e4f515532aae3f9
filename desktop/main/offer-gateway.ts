import { codeOfPin } from '../../gateway/contract/discovery.ts';
import type { FoundGateway, OfferedGateway } from '../ipc.ts';

/** A gateway as it is shown to whoever chooses, with the digits to compare. */
export const offered = (gateway: FoundGateway): OfferedGateway => ({
  ...gateway,
  code: gateway.pin === null ? null : codeOfPin(gateway.pin),
});

const USUAL_PORT = '8080';

/**
 * As people type it: `192.168.0.10` is a box at its usual port, `farm.example` a site of the web; with a scheme it is what
 * it says. null: no address.
 */
export function urlOfTyped(typed: string): string | null {
  const hasScheme = /^https?:\/\//i.test(typed);
  const plain = `http://${typed}`;
  if (!URL.canParse(hasScheme ? typed : plain)) return null;
  const url = new URL(hasScheme ? typed : plain);
  if (url.username !== '' || url.hostname === '') return null;
  if (hasScheme || url.port !== '') return `${url.origin}/`;
  const isBox = /^[\d.]+$|^\[|\.local$|^[^.]+$/.test(url.hostname);
  return isBox ? `http://${url.hostname}:${USUAL_PORT}/` : `https://${url.hostname}/`;
}
