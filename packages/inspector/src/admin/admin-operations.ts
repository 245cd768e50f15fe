/** The operations of the admin API by name, with their parameters. The command line has one command for each. */

interface Operation {
  /** Required texts, in the order of the command line. */
  readonly params: readonly string[]
  /** A text behind them that may be left out. */
  readonly optional?: string
  readonly flags?: readonly string[]
  /** A sentence without its subject, for the help of the command line. */
  readonly summary: string
}

export const ADMIN_OPERATIONS = {
  health: { params: [], summary: 'calls an object of each class and says which ones answer' },
  'rotate-keys': {
    params: [],
    flags: ['discard'],
    summary: 'creates new keys; with --discard, everything sealed or signed before is invalid',
  },
  'revoke-everyone': {
    params: [],
    summary: 'ends every token, sign-in, session and run of everyone',
  },
  'revoke-client': { params: ['client'], summary: 'ends the grants of one client with everyone' },
  'revoke-person': {
    params: ['subject'],
    summary: 'ends the grants, tokens, sign-ins, sessions, subscriptions and tasks of one person',
  },
  grants: {
    params: ['subject'],
    summary: 'lists the grants and personal access tokens of a person',
  },
  'revoke-grant': {
    params: ['subject', 'grant'],
    summary: 'ends one grant or personal access token',
  },
  sessions: { params: ['subject'], summary: 'lists the sessions of a person that store rows' },
  'end-session': { params: ['subject', 'session'], summary: 'ends one session' },
  subscriptions: { params: ['subject'], summary: 'lists the event subscriptions of a person' },
  'end-subscriptions': {
    params: ['subject'],
    optional: 'subscription',
    summary: 'ends one event subscription of a person, or all',
  },
  tasks: { params: ['subject'], summary: 'lists the tasks of a person' },
  'end-task': { params: ['task'], summary: 'cancels one task' },
  'delete-person': {
    params: ['subject'],
    summary: 'ends all access of a person and deletes what is stored about it',
  },
  timeline: {
    params: [],
    optional: 'connection',
    summary: 'lists the connections of clients with their verdicts, or shows the steps of one',
  },
  'timeline-on': {
    params: ['minutes'],
    summary: 'records the connections of production for some minutes, at most a day',
  },
  'timeline-off': { params: [], summary: 'ends the recording of production' },
} as const satisfies Readonly<Record<string, Operation>>

export type AdminOperation = keyof typeof ADMIN_OPERATIONS

export function findOperation(name: unknown): Operation | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(ADMIN_OPERATIONS, name)) return undefined
  return ADMIN_OPERATIONS[name as AdminOperation]
}
