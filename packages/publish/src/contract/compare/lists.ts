/** Compares the entries of two servers: what was removed, what is new, and what differs. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import {
  type ContractEntry,
  keyOf,
  LIST_NAMES,
  LISTS,
  type ListName,
  type ServerContract,
} from '../contract.ts'
import type { CompareOptions } from './compare-contracts.ts'
import { additive, breaking, type Change, textual } from './difference.ts'
import { eventChanges } from './event.ts'
import { isChanged, objectOf } from './members.ts'
import { promptChanges } from './prompt.ts'
import { hasOnlyMoreQuery, resourceChanges } from './resource.ts'
import { deprecationOf, toolChanges } from './tool.ts'

export interface EntryChange extends Change {
  readonly subject: string
}

type Compare = (before: JsonObject, after: JsonObject) => readonly Change[]

const COMPARE: Readonly<Record<ListName, Compare>> = {
  tools: toolChanges,
  prompts: promptChanges,
  resources: resourceChanges,
  resourceTemplates: resourceChanges,
  events: eventChanges,
}

export function listChanges(
  before: ServerContract,
  after: ServerContract,
  options: CompareOptions,
): readonly EntryChange[] {
  return LIST_NAMES.flatMap((list) => {
    const now = new Map(after[list].map((entry) => [keyOf(list, entry), entry]))
    const old = new Map(before[list].map((entry) => [keyOf(list, entry), entry]))
    const added = [...now].filter(([key]) => !old.has(key))
    const lost = [...old].filter(([key]) => !now.has(key))
    const wider = widerTemplates(lost, added)
    const of = (key: string, changes: readonly Change[]) =>
      changes.map((change) => ({ subject: `${LISTS[list].kind} ${quoted(key)}`, ...change }))
    return [
      ...lost.flatMap(([key, entry]) =>
        wider.has(key) ? [] : of(key, removal(list, entry, added, options)),
      ),
      ...[...wider].flatMap(([key, [name, entry]]) =>
        of(key, [
          additive(`is ${name} now, whose query may be absent`),
          ...COMPARE[list](old.get(key)?.definition ?? {}, entry.definition),
        ]),
      ),
      ...added
        .filter(([key]) => ![...wider.values()].some(([name]) => name === key))
        .flatMap(([key]) => of(key, [additive('is new')])),
      ...[...now].flatMap(([key, entry]) => {
        const committed = old.get(key)
        return committed === undefined ? [] : of(key, entryChanges(list, committed, entry))
      }),
    ]
  })
}

type Keyed = readonly [key: string, entry: ContractEntry]

function entryChanges(
  list: ListName,
  before: ContractEntry,
  after: ContractEntry,
): readonly Change[] {
  const changes: Change[] = []
  if (before.listed !== after.listed) {
    const isListed = after.listed !== false
    changes.push(
      isListed ? additive('is listed again') : textual('is not listed any more, and still answers'),
    )
  }
  changes.push(...scopeChanges(before.scopes ?? [], after.scopes ?? []))
  const [old, now] = [before.definition, after.definition]
  if (!isChanged(old, now)) return changes
  const own = COMPARE[list](old, now)
  return [...changes, ...(own.length > 0 ? own : [textual('is written in another way')])]
}

/** A token has the scopes for which its person was asked. */
function scopeChanges(before: readonly string[], after: readonly string[]): readonly Change[] {
  const won = after.filter((scope) => !before.includes(scope))
  const lost = before.filter((scope) => !after.includes(scope))
  return [
    ...won.map((scope) =>
      breaking('is required now: tokens without it are refused', `scope ${scope}`),
    ),
    ...lost.map((scope) => additive('is not required any more', `scope ${scope}`)),
  ]
}

function removal(
  list: ListName,
  entry: ContractEntry,
  added: readonly Keyed[],
  { today }: CompareOptions,
): readonly Change[] {
  const deprecation = list === 'tools' ? deprecationOf(entry.definition) : undefined
  if (deprecation !== undefined && deprecation.until < today) {
    const text = `is removed, as announced for the time after ${deprecation.until}`
    return [{ kind: 'announced', text }]
  }
  const promise =
    deprecation === undefined ? '' : ` before the announced day ${deprecation.until} is over`
  return [breaking(`is removed${promise}${renameHint(list, entry, added)}`)]
}

function renameHint(list: ListName, entry: ContractEntry, added: readonly Keyed[]): string {
  const twin = added.find(([, other]) => bodyText(list, other) === bodyText(list, entry))
  if (twin === undefined) return ''
  const name = quoted(twin[0])
  const advice =
    list === 'tools'
      ? `. Keep the old name with deprecated: { use: ${name}, until: 'YYYY-MM-DD' }`
      : ''
  return `; ${name}, which is new, looks like its new name${advice}`
}

/** What two names of the same thing have in common. */
function bodyText(list: ListName, { definition }: ContractEntry): string {
  switch (list) {
    case 'tools': {
      const { inputSchema, outputSchema = null, description = null } = definition
      // Many tools have no arguments, so that equal schemas say nothing.
      const hasArguments = Object.keys(objectOf(objectOf(inputSchema).properties)).length > 0
      return canonicalText([inputSchema, outputSchema, hasArguments ? null : description])
    }
    case 'events':
      return canonicalText([definition.inputSchema, definition.payloadSchema])
    case 'prompts':
      return canonicalText([definition.arguments ?? null, definition.description ?? null])
    default:
      return canonicalText([definition.name, definition.mimeType ?? null])
  }
}

/** Templates that were only extended by a query. */
function widerTemplates(
  lost: readonly Keyed[],
  added: readonly Keyed[],
): ReadonlyMap<string, Keyed> {
  return new Map(
    lost.flatMap(([key]) => {
      const wider = added.find(([name]) => hasOnlyMoreQuery(key, name))
      return wider === undefined ? [] : [[key, wider] as const]
    }),
  )
}
