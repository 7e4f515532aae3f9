import type { ComponentType } from 'preact';

export type Screen = ComponentType<{ params: Readonly<Record<string, string>> }>;

export type Load = () => Promise<Screen>;

/** Everything that is not the daily work: settings, people, devices, health. */
export const SYSTEM_ROUTES: readonly { path: string; load: Load }[] = [
  { path: '/sistema', load: async () => (await import('../screens/system/system-index.tsx')).SystemIndex },
  { path: '/mais', load: async () => (await import('../screens/system/more.tsx')).More },
  {
    path: '/notificacoes',
    load: async () => (await import('../screens/notifications/notifications.tsx')).Notifications,
  },
  {
    path: '/sistema/dispositivos',
    load: async () => (await import('../screens/devices/devices.tsx')).Devices,
  },
  {
    path: '/sistema/dispositivos/:id',
    load: async () => (await import('../screens/devices/device-page.tsx')).DevicePage,
  },
  {
    path: '/sistema/fazenda/:part?',
    load: async () => (await import('../screens/farms/farm-settings.tsx')).FarmSettings,
  },
  { path: '/sistema/usuarios', load: async () => (await import('../screens/people/people.tsx')).People },
  { path: '/sistema/plano', load: async () => (await import('../screens/plan/plan.tsx')).Plan },
  {
    path: '/sistema/canais',
    load: async () => (await import('../screens/notifications/channels.tsx')).Channels,
  },
  {
    path: '/sistema/preferencias',
    load: async () => (await import('../screens/account/preferences.tsx')).Preferences,
  },
  { path: '/sistema/sincronia', load: async () => (await import('../screens/cloud/sync.tsx')).Sync },
  {
    path: '/sistema/gateways',
    load: async () => (await import('../screens/gateways/gateways.tsx')).Gateways,
  },
  { path: '/pair', load: async () => (await import('../screens/gateways/claim.tsx')).Claim },
  { path: '/sistema/backup', load: async () => (await import('../screens/backup/backup.tsx')).Backup },
  {
    path: '/sistema/diagnostico',
    load: async () => (await import('../screens/box/diagnostics.tsx')).Diagnostics,
  },
  { path: '/sistema/sondas', load: async () => (await import('../screens/probes/probes.tsx')).Probes },
  {
    path: '/sistema/firmware',
    load: async () => (await import('../screens/firmware/firmware.tsx')).Firmware,
  },
  { path: '/sistema/sirene', load: async () => (await import('../screens/siren/siren.tsx')).Siren },
  { path: '/sistema/bancada', load: async () => (await import('../screens/bench/bench.tsx')).Bench },
  {
    path: '/sistema/bancada/simulador',
    load: async () => (await import('../screens/simulator/simulator.tsx')).Simulator,
  },
  {
    path: '/sistema/bancada/sombra/:id?',
    load: async () => (await import('../screens/shadow/shadow.tsx')).Shadow,
  },
  { path: '/sistema/sobre', load: async () => (await import('../screens/box/about.tsx')).About },
];
