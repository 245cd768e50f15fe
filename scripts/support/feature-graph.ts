/** The features, where each is, and which others it imports: the one table of the graph. */

export interface FeatureRooms {
  /** Folders and files, each with everything below it. The first one has the value. */
  readonly rooms: readonly string[]
  /** The features that it imports, types included. */
  readonly imports: readonly string[]
}

/** Each feature comes after those that it imports, so the graph has no circle. */
export const FEATURES: Readonly<Record<string, FeatureRooms>> = {
  objects: {
    rooms: [
      'src/features/objects',
      'durable-objects/app-objects.ts',
      'durable-objects/place-object.ts',
    ],
    imports: [],
  },
  keyring: { rooms: ['src/features/keyring', 'durable-objects/keyring'], imports: ['objects'] },
  asks: { rooms: ['src/features/asks', 'durable-objects/run'], imports: ['keyring'] },
  sessions: {
    rooms: ['src/features/sessions', 'durable-objects/session'],
    imports: ['asks', 'keyring'],
  },
  changes: { rooms: ['src/features/changes', 'durable-objects/hub'], imports: ['objects'] },
  tasks: {
    rooms: ['src/features/tasks', 'durable-objects/task'],
    imports: ['asks', 'keyring', 'sessions'],
  },
  events: {
    rooms: ['packages/events/src'],
    imports: ['asks', 'keyring', 'tasks'],
  },
  state: { rooms: ['src/features/state', 'durable-objects/state'], imports: ['asks'] },
  files: { rooms: ['src/features/files', 'durable-objects/files'], imports: ['asks', 'state'] },
  code: { rooms: ['packages/code/src/code'], imports: ['asks'] },
  search: { rooms: ['packages/code/src/search'], imports: [] },
  skills: { rooms: ['src/features/skills'], imports: [] },
  apps: { rooms: ['src/features/apps'], imports: [] },
  'landing-page': { rooms: ['src/features/landing-page'], imports: [] },
  'server-card': { rooms: ['src/features/server-card'], imports: [] },
  proofs: { rooms: ['src/features/proofs'], imports: [] },
  'rate-limits': { rooms: ['src/features/rate-limits'], imports: [] },
  auth: {
    rooms: [
      'src/auth',
      'src/embedded.ts',
      'durable-objects/account',
      'durable-objects/auth-services.ts',
    ],
    imports: ['keyring', 'rate-limits'],
  },
  connections: {
    rooms: ['src/features/connections', 'durable-objects/connections'],
    imports: ['asks', 'auth'],
  },
  health: { rooms: ['src/features/health'], imports: [] },
  timeline: {
    rooms: [
      'packages/inspector/src/timeline',
      'packages/inspector/src/timeline-texts',
      'packages/inspector/src/objects/log',
    ],
    imports: ['auth', 'objects'],
  },
  admin: { rooms: ['packages/inspector/src/admin'], imports: ['auth', 'timeline'] },
  inspector: {
    rooms: ['packages/inspector/src/inspector', 'packages/inspector/src/objects/traffic'],
    imports: ['admin', 'auth', 'timeline'],
  },
}

/** The feature of a file; undefined for the core. */
export function featureOf(file: string): string | undefined {
  return Object.keys(FEATURES).find((name) =>
    FEATURES[name]?.rooms.some((room) => file === room || file.startsWith(`${room}/`)),
  )
}
