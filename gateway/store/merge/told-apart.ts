import type { Resource } from '#contract/resource.ts';
import { LIFE } from '../register.ts';
import { fieldsOf, stampOf } from './claims.ts';
import type { Edit, Held } from './edit.ts';
import type { Heard, LostEdit } from './merge.ts';

/** People here are told, too, when the other side found what may stand once only. */
export function toldApart(
  { resource, edit, heard }: { resource: Resource; edit: Edit; heard: Heard },
  before: Held,
  after: Held,
): LostEdit[] {
  const { change } = heard;
  const told = { resource, id: change.id, change, keptHlc: edit.hlc };
  if (edit.is === 'delete') {
    const droppedHlc = before.register.over[LIFE] ?? before.register.hlc;
    return before.register.cl < edit.cl
      ? [{ ...told, group: LIFE, rule: 'duplicate', kept: {}, dropped: before.row, droppedHlc }]
      : [];
  }
  return Object.keys(edit.is === 'groups' ? edit.groups : {}).flatMap((group): LostEdit[] => {
    const fields = resource.groups[group]?.fields ?? [];
    const droppedHlc = stampOf(before.register, group);
    if (droppedHlc >= edit.hlc) return [];
    const rule = fields.includes('device_id') ? 'unassigned' : 'renamed';
    return [
      {
        ...told,
        group,
        rule,
        kept: fieldsOf(after.row, fields),
        dropped: fieldsOf(before.row, fields),
        droppedHlc,
      },
    ];
  });
}
