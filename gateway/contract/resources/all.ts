import type { Resource } from '../resource.ts';
import { accessToken } from './access-tokens.ts';
import { address } from './addresses.ts';
import { aerator } from './aerators.ts';
import { alert } from './alerts.ts';
import { batch, harvest, survivalChange } from './batches.ts';
import { biometry } from './biometries.ts';
import { controlPoint, order } from './control-points.ts';
import { farmConsole } from './farm-console.ts';
import { farmRecord } from './farm-records.ts';
import { farm, farmMember } from './farms.ts';
import { feedStockEntry } from './feed-stock.ts';
import { feedingRecord } from './feeding.ts';
import { expense } from './finance.ts';
import { firmwareImage, firmwareRollout, firmwareTarget } from './firmware.ts';
import { harvestLot } from './harvest-lots.ts';
import { importChunk, importLayout, importRecord } from './import-records.ts';
import { invitation } from './invitations.ts';
import {
  addressProof,
  arrivedNews,
  boardLabel,
  delivery,
  deviceKey,
  deviceMark,
  firstKeyUse,
  idempotentAnswer,
  instanceValue,
  numericId,
  outgoingLetter,
  passkey,
  passwordReset,
  paymentEvent,
  paymentObject,
  presence,
  providerSubscription,
  pushAction,
  revokedToken,
  secondFactor,
  session,
  sessionGeneration,
  tokenUse,
  usageCrossing,
} from './local-tables.ts';
import { logEntry } from './logs.ts';
import { notificationChannel } from './notification-channels.ts';
import { notification } from './notifications.ts';
import { photo, storedImage } from './photos.ts';
import { pond } from './ponds.ts';
import { probe, probeBus, probeProfile } from './probes.ts';
import { relay, relayMeter } from './relays.ts';
import { schedule } from './schedules.ts';
import { farmScience } from './science.ts';
import { sirenSettings } from './sirens.ts';
import { subscription } from './subscriptions.ts';
import {
  command,
  lease,
  localUser,
  lostPerson,
  pairedGateway,
  pairing,
  parkedChange,
  syncConflict,
  syncFarm,
  takenCommand,
} from './sync-tables.ts';
import { task, taskMark } from './tasks.ts';
import { transfer } from './transfers.ts';
import { user } from './users.ts';
import { measurement } from './water-quality.ts';

/** Tables both instances share, by name. */
export const sharedResources = {
  users: user,
  addresses: address,
  farms: farm,
  farm_members: farmMember,
  ponds: pond,
  aerators: aerator,
  control_points: controlPoint,
  orders: order,
  schedules: schedule,
  alerts: alert,
  logs: logEntry,
  notifications: notification,
  subscriptions: subscription,
  batches: batch,
  survival_changes: survivalChange,
  harvests: harvest,
  biometries: biometry,
  feeding_records: feedingRecord,
  measurements: measurement,
  transfers: transfer,
  expenses: expense,
  farm_science: farmScience,
  farm_console: farmConsole,
  farm_records: farmRecord,
  feed_stock: feedStockEntry,
  harvest_lots: harvestLot,
  tasks: task,
  task_marks: taskMark,
  photos: photo,
  notification_channels: notificationChannel,
  access_tokens: accessToken,
  invitations: invitation,
} as const;

/** Tables that never leave this instance, by name. */
export const localResources = {
  instance_values: instanceValue,
  revoked_tokens: revokedToken,
  sessions: session,
  session_generations: sessionGeneration,
  presence,
  second_factors: secondFactor,
  passkeys: passkey,
  device_keys: deviceKey,
  first_key_uses: firstKeyUse,
  device_marks: deviceMark,
  board_labels: boardLabel,
  idempotent_answers: idempotentAnswer,
  numeric_ids: numericId,
  deliveries: delivery,
  arrived_news: arrivedNews,
  invitation_letters: outgoingLetter,
  password_resets: passwordReset,
  address_proofs: addressProof,
  payment_events: paymentEvent,
  payment_objects: paymentObject,
  push_actions: pushAction,
  provider_subscriptions: providerSubscription,
  token_uses: tokenUse,
  usage_crossings: usageCrossing,
  sync_parked: parkedChange,
  sync_conflicts: syncConflict,
  sync_farms: syncFarm,
  gateways: pairedGateway,
  pairings: pairing,
  local_users: localUser,
  lost_people: lostPerson,
  commands: command,
  commands_taken: takenCommand,
  leases: lease,
  firmware_images: firmwareImage,
  firmware_rollouts: firmwareRollout,
  firmware_targets: firmwareTarget,
  probe_buses: probeBus,
  probes: probe,
  probe_profiles: probeProfile,
  siren_settings: sirenSettings,
  relays: relay,
  relay_meters: relayMeter,
  imports: importRecord,
  import_chunks: importChunk,
  import_layouts: importLayout,
  stored_images: storedImage,
} as const;

/** Every table of the product. Rows of different tables have different fields; here only their being rows counts. */
export const allResources = [
  ...Object.values(sharedResources),
  ...Object.values(localResources),
] as unknown as readonly Resource[];
