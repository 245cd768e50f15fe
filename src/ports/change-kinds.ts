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
  /** Whether the clients of a revision receive it. */
  readonly eras: (revision: Revision) => boolean
}

type ListedCapability = 'tools' | 'prompts' | 'resources' | 'events'

const everyEra = () => true
const modernEra = ({ era }: Revision) => era === 'modern'

/** A change of the list of a capability. */
const list = <Name extends ListedCapability>(name: Name, eras: ChangeKindRow['eras'] = everyEra) =>
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
  events_list_changed: list('events', modernEra),
  resource_updated: {
    method: 'notifications/resources/updated',
    about: 'uri',
    filter: 'resourceSubscriptions',
    capability: 'resources',
    eras: everyEra,
  },
  /** A person has finished at the URL of a URL-mode elicitation. */
  elicitation_complete: {
    method: 'notifications/elicitation/complete',
    about: 'elicitationId',
    filter: undefined,
    capability: undefined,
    eras: ({ era, features }) => era !== 'modern' && features.richAsks,
  },
  /** The state of a task has changed. It is about the name of its object, which is random. */
  task_updated: {
    method: 'notifications/tasks',
    about: 'task',
    filter: 'taskIds',
    capability: undefined,
    eras: modernEra,
  },
} as const satisfies Readonly<Record<string, ChangeKindRow>>

type Table = typeof CHANGES

export type ChangeKind = keyof Table

/** A list of the server that can change. */
export type ListChangeKind = {
  [Kind in ChangeKind]: Table[Kind]['about'] extends undefined ? Kind : never
}[ChangeKind]

/** One change. `subject` restricts it to the listeners of one principal; without it, all receive it. */
export type Change = {
  readonly [Kind in ChangeKind]: {
    readonly kind: Kind
    readonly subject?: string | undefined
  } & { readonly [Member in NonNullable<Table[Kind]['about']>]: string }
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

/** The kinds that the clients of a revision receive from a server with these capabilities. */
export function changeKindsFor(
  capabilities: ServerCapabilities,
  revision: Revision,
): readonly ChangeKind[] {
  return CHANGE_KINDS.filter((kind) => {
    const { capability, eras } = CHANGES[kind]
    return eras(revision) && (capability === undefined || capabilities[capability] !== undefined)
  })
}
