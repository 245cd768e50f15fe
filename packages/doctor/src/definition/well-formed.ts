/**
 * The lists of a running server as a `Surface`. A server of others may send anything, so an entry is kept only if it has
 * the members that every reader relies on, and an optional member only if it has its type.
 */
import type { Implementation, Resource } from '../../../../src/protocol/content.ts'
import { DELIVERY_MODES, type EventDescriptor } from '../../../../src/protocol/events.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { Prompt, ResourceTemplateInfo, Tool } from '../../../../src/protocol/primitives.ts'
import { quoted } from '../../../text/src/quoted.ts'
import type { Surface } from './surface.ts'

/** An entry that is not valid, a member of one that was left out, or a list that could not be read to its end. */
export interface MalformedEntry {
  readonly kind: 'entry' | 'list'
  readonly list: ListName
  /** The name of the entry, where it has one. */
  readonly name?: string
  /** The member that is not valid. */
  readonly member?: string
  /** What is wrong, as a sentence without its full stop. */
  readonly seen: string
}

export type ListName = Exclude<
  keyof Surface,
  'info' | 'instructions' | 'unlisted' | 'hidden' | 'scopes'
>

/** The entries of a running server; unchecked. */
export type RawLists = Readonly<Partial<Record<ListName, readonly unknown[]>>> & {
  readonly info?: unknown
  readonly instructions?: unknown
}

export interface WellFormed {
  readonly surface: Surface
  readonly malformed: readonly MalformedEntry[]
}

type Value = Readonly<Record<string, unknown>>

/** Whether a member has its type. */
type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isBoolean: Check = (value) => typeof value === 'boolean'
const isIcons: Check = (value) =>
  Array.isArray(value) && value.every((icon) => isJsonObject(icon) && isText(icon.src))
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const isAnnotations: Check = (value) =>
  isJsonObject(value) &&
  HINTS.every((hint) => value[hint] === undefined || isBoolean(value[hint])) &&
  (value.title === undefined || isText(value.title))
const isArguments: Check = (value) =>
  Array.isArray(value) && value.every((one) => isJsonObject(one) && isText(one.name))
const isModes: Check = (value) =>
  Array.isArray(value) && value.every((mode) => DELIVERY_MODES.some((known) => known === mode))

const LISTED = { title: isText, description: isText, icons: isIcons, _meta: isJsonObject }

interface Shape {
  /** The member by which messages name an entry. */
  readonly key: string
  readonly required: Readonly<Record<string, Check>>
  readonly optional: Readonly<Record<string, Check>>
}

const SHAPES: Readonly<Record<ListName, Shape>> = {
  tools: {
    key: 'name',
    required: { name: isText, inputSchema: isJsonObject },
    optional: {
      ...LISTED,
      outputSchema: isJsonObject,
      annotations: isAnnotations,
      execution: isJsonObject,
    },
  },
  prompts: {
    key: 'name',
    required: { name: isText },
    optional: { ...LISTED, arguments: isArguments },
  },
  resources: {
    key: 'uri',
    required: { uri: isText, name: isText },
    optional: { ...LISTED, mimeType: isText, size: isNumber, annotations: isJsonObject },
  },
  resourceTemplates: {
    key: 'uriTemplate',
    required: { uriTemplate: isText, name: isText },
    optional: { ...LISTED, mimeType: isText, annotations: isJsonObject },
  },
  events: {
    key: 'name',
    required: { name: isText },
    optional: {
      description: isText,
      delivery: isModes,
      inputSchema: isJsonObject,
      payloadSchema: isJsonObject,
      _meta: isJsonObject,
    },
  },
}

/** What an event type lacks, as the type of `Surface` has it. */
const EMPTY_EVENT = { description: '', delivery: [], inputSchema: {}, payloadSchema: {} }

const INFO = { title: isText, description: isText, icons: isIcons, websiteUrl: isText }

export function wellFormed(lists: RawLists): WellFormed {
  const malformed: MalformedEntry[] = []
  const read = <Entry>(list: ListName): readonly Entry[] =>
    (lists[list] ?? []).flatMap((entry) => {
      const kept = keptOf(list, entry, malformed)
      // The checks of the shape are those of the type.
      return kept === undefined ? [] : (kept as unknown as Entry)
    })
  const { instructions } = lists
  return {
    surface: {
      info: infoOf(lists.info),
      ...(typeof instructions === 'string' ? { instructions } : {}),
      tools: read<Tool>('tools'),
      prompts: read<Prompt>('prompts'),
      resources: read<Resource>('resources'),
      resourceTemplates: read<ResourceTemplateInfo>('resourceTemplates'),
      events: read<EventDescriptor>('events').map((event) => ({ ...EMPTY_EVENT, ...event })),
    },
    malformed,
  }
}

function keptOf(list: ListName, entry: unknown, malformed: MalformedEntry[]): Value | undefined {
  const { key, required, optional } = SHAPES[list]
  if (!isJsonObject(entry)) {
    malformed.push({ kind: 'entry', list, seen: `The list has the entry ${quoted(entry)}` })
    return undefined
  }
  const name = entry[key]
  const report = (member: string) =>
    malformed.push({
      kind: 'entry',
      list,
      ...(typeof name === 'string' ? { name } : {}),
      member,
      seen: `${quoted(name)} has ${member} ${quoted(entry[member])}`,
    })
  const missing = Object.keys(required).find((member) => required[member]?.(entry[member]) !== true)
  if (missing !== undefined) {
    report(missing)
    return undefined
  }
  const kept = Object.entries(entry).filter(([member, value]) => {
    const check = Object.hasOwn(optional, member) ? optional[member] : undefined
    if (value === undefined || check?.(value) !== false) return true
    report(member)
    return false
  })
  return Object.fromEntries(kept)
}

function infoOf(info: unknown): Implementation {
  const { name, version, ...others }: Value = isJsonObject(info) ? info : {}
  const kept = Object.entries(others).filter(([member, value]) => {
    const check = Object.hasOwn(INFO, member) ? INFO[member as keyof typeof INFO] : undefined
    return check?.(value) === true
  })
  return {
    ...Object.fromEntries(kept),
    name: typeof name === 'string' ? name : '',
    version: typeof version === 'string' ? version : '',
  }
}
