import type { Json, Point, RealFarm } from './a-farm.ts';

// What stands for a time, and how long: each is brought about over the interface of a started gateway, and asked after
// there. What must be true whatever dies meanwhile: it is not over early, and it is over at its time.

/** How long each of them is to last, farm seconds: the shortest that all of them can be given. */
export const LASTS_S = 60;

/** One of them, begun. */
export type Standing = {
  name: string;
  /** Whether it holds now, by what the interface answers. */
  holds: () => Promise<boolean>;
  /** Farm seconds after its begin; null: only a person ends it. */
  endsAfterS: number | null;
  /** A start of the program may end it before its time, because holding it longer would be the harm. */
  mayEndAtStart?: boolean;
};

type Asked = Pick<RealFarm, 'get' | 'post' | 'put' | 'ask' | 'alerts' | 'point' | 'call'>;

/** Everything temporary that a farm can ask for, all begun at the same time. */
export async function beginAll(farm: Asked): Promise<Standing[]> {
  return Promise.all([
    pauseOf(farm),
    startOf(farm),
    lockOut(farm),
    quiet(farm, 'silence', 'silenced_until'),
    quiet(farm, 'shelve', 'shelved_until'),
    provisioningWindow(farm),
  ]);
}

const targetIs = async (farm: Asked, point: Point, target: 'ON' | 'OFF') =>
  (await farm.get(`/control-points/${point.id}`))['target_status'] === target;

/** While somebody feeds. */
async function pauseOf(farm: Asked): Promise<Standing> {
  const point = await farm.point();
  await farm.post(`/control-points/${point.id}/turn-on`);
  await farm.post(`/control-points/${point.id}/turn-off`, { for_s: LASTS_S });
  return { name: 'a pause', endsAfterS: LASTS_S, holds: () => targetIs(farm, point, 'OFF') };
}

async function startOf(farm: Asked): Promise<Standing> {
  const point = await farm.point();
  await farm.post(`/control-points/${point.id}/turn-on`, { for_s: LASTS_S });
  return { name: 'a start for a time', endsAfterS: LASTS_S, holds: () => targetIs(farm, point, 'ON') };
}

/** Somebody's hands are in the motor: no time ends it. */
async function lockOut(farm: Asked): Promise<Standing> {
  const point = await farm.point();
  await farm.post(`/control-points/${point.id}/turn-on`);
  await farm.post(`/control-points/${point.id}/lock-out`, { reason: 'impeller' });
  return {
    name: 'a lock-out',
    endsAfterS: null,
    async holds() {
      const shown = await farm.get(`/control-points/${point.id}`);
      return shown['locked_out'] === true && shown['target_status'] === 'OFF';
    },
  };
}

/** An alert that nobody is to be called for. */
async function quiet(farm: Asked, how: 'silence' | 'shelve', field: string): Promise<Standing> {
  const point = await farm.point();
  await farm.post('/water-quality/', { pond_id: point.pond_id, dissolved_oxygen: 2.5 });
  const ofPond = (alert: Json) => alert['pond_id'] === point.pond_id && alert['type'] === 'LOW_OXYGEN';
  const raised = (await farm.alerts()).find(ofPond);
  await farm.post(`/alerts/${String(raised?.['id'])}/${how}`, { minutes: LASTS_S / 60, reason: 'seen' });
  return {
    name: how === 'silence' ? 'a silence' : 'a shelf',
    endsAfterS: LASTS_S,
    async holds() {
      const [alert] = (await farm.alerts()).filter(ofPond);
      const until = alert?.[field];
      const now = Date.parse(String((await farm.get('/system/clock'))['server_time']));
      return typeof until === 'string' && Date.parse(until) > now;
    },
  };
}

/** Boards without a key may come in: a start closes the window. */
async function provisioningWindow(farm: Asked): Promise<Standing> {
  await farm.post('/adoption/window', { minutes: LASTS_S / 60 });
  return {
    name: 'the provisioning window',
    endsAfterS: LASTS_S,
    mayEndAtStart: true,
    holds: async () => (await farm.get('/adoption/window'))['is_open'] === true,
  };
}
