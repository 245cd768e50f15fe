/** The table of the kinds of change: what filters, notifications, capabilities and listeners need of each. */
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Revision } from '../protocol/revisions.ts'

export interface ChangeKindRow {
  /** The notification that reports it. */
  readonly method: `notifications/${string}`
  /** The member of a change that names what it is about; undefined for a change of a list. */
  readonly about: 'uri' | 'elicitationId' | 'task' | undefined
  /** Its member of the filter of `subscriptions/listen`; undefined where no filter asks for it. */
  readonly filter: string | undefined
  /** The capability of a server that publishes it; undefined where none is needed. */
  readonly capability: ListedCapability | undefined
  /** The clients that receive it. */
  readonly eras: keyof typeof RECEIVES
}

type ListedCapability = 'tools' | 'prompts' | 'resources' | 'events'

/** Whether the clients of a revision receive a change. */
const RECEIVES = {
  all: () => true,
  modern: ({ era }: Revision) => era === 'modern',
  /** Those of sessions that know URL-mode elicitation. */
  sessions: ({ era, features }: Revision) => era !== 'modern' && features.richAsks,
}

/** A change of the list of a capability. */
const list = <Name extends ListedCapability>(name: Name, eras: 'all' | 'modern' = 'all') =>
  ({
    method: `notifications/${name}/list_changed`,
    about: undefined,
    filter: `${name}ListChanged`,
    capability: name,
    eras,
  }) as const

/** The row of each kind, by the name that the official SDK's event bus uses. */
export const CHANGES = {
  tools_list_changed: list('tools'),
  prompts_list_changed: list('prompts'),
  resources_list_changed: list('resources'),
  events_list_changed: list('events', 'modern'),
  resource_updated: {
    method: 'notifications/resources/updated',
    about: 'uri',
    filter: 'resourceSubscriptions',
    capability: 'resources',
    eras: 'all',
  },
  /** A person has finished at the URL of a URL-mode elicitation. */
  elicitation_complete: {
    method: 'notifications/elicitation/complete',
    about: 'elicitationId',
    filter: undefined,
    capability: undefined,
    eras: 'sessions',
  },
  /** The state of a task has changed. It is about the name of its object, which is random. */
  task_updated: {
    method: 'notifications/tasks',
    about: 'task',
    filter: 'taskIds',
    capability: undefined,
    eras: 'modern',
  },
} as const satisfies Readonly<Record<string, ChangeKindRow>>

export type ChangeKind = keyof typeof CHANGES

/** A list of the server that can change. */
export type ListChangeKind = {
  [Kind in ChangeKind]: (typeof CHANGES)[Kind]['about'] extends undefined ? Kind : never
}[ChangeKind]

/** One change. `subject` restricts it to the listeners of one principal; without it, all receive it. */
export type Change = {
  readonly [Kind in ChangeKind]: {
    readonly kind: Kind
    readonly subject?: string | undefined
  } & { readonly [Member in NonNullable<(typeof CHANGES)[Kind]['about']>]: string }
}[ChangeKind]

/** Every kind that this version knows. */
export const CHANGE_KINDS = Object.keys(CHANGES) as readonly ChangeKind[]

/** False for a kind of a newer version. */
export function isChangeKind(kind: unknown): kind is ChangeKind {
  return typeof kind === 'string' && Object.hasOwn(CHANGES, kind)
}

export function isListChangeKind(kind: ChangeKind): kind is ListChangeKind {
  return CHANGES[kind].about === undefined
}

/** The lists of every era, in the order of their digests. */
export const LIST_KINDS = CHANGE_KINDS.filter(
  (kind) => isListChangeKind(kind) && CHANGES[kind].eras === 'all',
)

/** The kinds that the clients of a revision receive from a server with these capabilities. */
export function changeKindsFor(
  capabilities: ServerCapabilities,
  revision: Revision,
): readonly ChangeKind[] {
  return CHANGE_KINDS.filter((kind) => {
    const { capability, eras } = CHANGES[kind]
    return (
      RECEIVES[eras](revision) &&
      (capability === undefined || capabilities[capability] !== undefined)
    )
  })
}
