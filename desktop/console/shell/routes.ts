import type { Load } from './system-routes.ts';
import { SYSTEM_ROUTES } from './system-routes.ts';

// Every screen of the console by its address, loaded when it is first opened. A new screen is one line here.

export const ROUTES: readonly { path: string; load: Load }[] = [
  { path: '/', load: async () => (await import('../screens/wall/farm-wall.tsx')).FarmWall },
  { path: '/alarmes/:tab?', load: async () => (await import('../screens/alarms/alarm-list.tsx')).AlarmList },
  {
    path: '/aeracao',
    load: async () => (await import('../screens/aeration/control-board.tsx')).ControlBoard,
  },
  {
    path: '/viveiros/:cod/:tab?',
    load: async () => (await import('../screens/pond/pond-detail.tsx')).PondDetail,
  },
  {
    path: '/aeracao/agenda',
    load: async () => (await import('../screens/aeration/week-calendar.tsx')).WeekCalendar,
  },
  {
    path: '/aeracao/:id',
    load: async () => (await import('../screens/aeration/control-point-page.tsx')).ControlPointPage,
  },
  { path: '/lancar', load: async () => (await import('../screens/entries/choose-entry.tsx')).ChooseEntry },
  { path: '/lancar/agua', load: async () => (await import('../screens/entries/water-entry.tsx')).WaterEntry },
  { path: '/lancar/fila', load: async () => (await import('../screens/entries/queue.tsx')).Queue },
  { path: '/lancar/racao', load: async () => (await import('../screens/entries/feed-entry.tsx')).FeedEntry },
  {
    path: '/lancar/biometria',
    load: async () => (await import('../screens/entries/biometry-entry.tsx')).BiometryEntry,
  },
  {
    path: '/lancar/despesa',
    load: async () => (await import('../screens/entries/expense-entry.tsx')).ExpenseEntry,
  },
  {
    path: '/lancar/mortalidade',
    load: async () => (await import('../screens/entries/mortality-entry.tsx')).MortalityEntry,
  },
  { path: '/lotes', load: async () => (await import('../screens/batches/batch-list.tsx')).BatchList },
  {
    path: '/lotes/lista/:tab',
    load: async () => (await import('../screens/batches/batch-list.tsx')).BatchList,
  },
  { path: '/lotes/novo', load: async () => (await import('../screens/batches/stocking.tsx')).Stocking },
  { path: '/lotes/:code', load: async () => (await import('../screens/batches/batch-page.tsx')).BatchPage },
  {
    path: '/lotes/:code/despesca',
    load: async () => (await import('../screens/batches/harvest.tsx')).Harvest,
  },
  {
    path: '/transferencias/:tab?',
    load: async () => (await import('../screens/transfers/transfers.tsx')).Transfers,
  },
  { path: '/tarefas', load: async () => (await import('../screens/tasks/tasks.tsx')).Tasks },
  {
    path: '/relatorios/ficha',
    load: async () => (await import('../screens/reports/water-sheet.tsx')).WaterSheet,
  },
  { path: '/relatorios/:tab?', load: async () => (await import('../screens/reports/reports.tsx')).Reports },
  ...SYSTEM_ROUTES,
];
