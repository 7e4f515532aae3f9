import { useState } from 'preact/hooks';
import { useSend } from '../../data/corrections.ts';
import { farm, farmControlPoints } from '../../data/farm-store.ts';
import { refresh } from '../../data/query.ts';
import { nextCode } from '../account/second-factor.tsx';
import type { Board } from './wifi-step.tsx';

export type Identity = ReturnType<typeof useIdentity>;

/** Who the board becomes: a control point of the farm, or a new one that is made when it is needed. */
export function useIdentity(board: Board | null) {
  const points = farmControlPoints.value.filter(({ is_simulated }) => !is_simulated);
  const send = useSend();
  /** `''`: a new one; null: not chosen yet. */
  const [chosen, choose] = useState<string | null>(null);
  const [cod, setCod] = useState<string | null>(null);
  const [device, setDevice] = useState<string | null>(null);
  const mac = typeof board?.['mac'] === 'string' ? board['mac'] : null;
  const code = cod ?? nextCode(points.map((point) => point.cod));
  const deviceId = device ?? (mac === null ? '' : `aer-${mac.replaceAll(':', '').slice(-6).toLowerCase()}`);
  // a board that was here before is offered the place it had
  const former = formerIdentity(board) ?? deviceId;
  const pointId = chosen ?? points.find(({ device_id }) => device_id === former)?.id ?? '';
  return {
    pointId,
    choose,
    code,
    setCod,
    deviceId,
    setDevice,
    isReady: pointId !== '' || (code.trim() !== '' && deviceId.trim() !== ''),
    /** The id of the control point. Throws what the interface refuses. */
    async settle(): Promise<string> {
      if (pointId !== '') return pointId;
      const made = await send('/control-points/', {
        farm_id: farm.value?.id,
        cod: code.trim(),
        device_id: deviceId.trim(),
        target_status: 'OFF',
      });
      refresh('control-points', 'devices');
      choose(made.id);
      return made.id;
    },
  };
}

function formerIdentity(board: Board | null): string | null {
  const identity = board?.['identity'];
  if (typeof identity !== 'object' || identity === null || !('device_id' in identity)) return null;
  return typeof identity.device_id === 'string' ? identity.device_id : null;
}
