/** Compares two versions of a tool. */
import { RESOURCE_URI_META, UI_META } from '../../../../../src/protocol/apps.ts'
import {
  DEPRECATED_META,
  type Deprecation,
  deprecationText,
} from '../../../../../src/protocol/deprecation.ts'
import { isJsonObject, type JsonObject } from '../../../../../src/protocol/json.ts'
import { annotationChanges } from './annotations.ts'
import { additive, breaking, type Change, textual } from './difference.ts'
import { isChanged, objectOf, otherMembers, schemaChanges } from './members.ts'

const COMPARED = ['inputSchema', 'outputSchema', 'annotations', 'execution', '_meta', 'description']

export function toolChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  return [
    ...argumentChanges(before, after),
    ...resultChanges(before, after),
    ...annotationChanges(objectOf(before.annotations), objectOf(after.annotations)),
    ...taskChanges(objectOf(before.execution).taskSupport, objectOf(after.execution).taskSupport),
    ...deprecationChanges(deprecationOf(before), deprecationOf(after)),
    ...metaChanges(objectOf(before._meta), objectOf(after._meta)),
    ...(ownDescription(before) === ownDescription(after)
      ? []
      : [textual('is another', 'description')]),
    ...otherMembers(before, after, COMPARED),
  ]
}

const HEADER = 'has another x-mcp-header'

/** The header that repeats an argument is refused when it is absent, and clients take its name from the list that they hold. */
function argumentChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  return schemaChanges('inputSchema', [before, after], 'input', 'argument').map((one) =>
    one.text === HEADER
      ? breaking(`${HEADER}: clients send the header of the list that they hold`, one.at)
      : one,
  )
}

function resultChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  const [old, now] = [before.outputSchema, after.outputSchema]
  if (old === undefined && now === undefined) return []
  if (old === undefined) return [additive('is described by a schema now', 'result')]
  if (now === undefined) {
    return [breaking('has no schema any more: clients read structuredContent by it', 'result')]
  }
  return schemaChanges('outputSchema', [before, after], 'output', 'result')
}

/** Of the revision 2025-11-25, in which `forbidden` is what a tool without the member has. */
function taskChanges(
  before: unknown = 'forbidden',
  after: unknown = 'forbidden',
): readonly Change[] {
  const at = 'execution.taskSupport'
  if (before === after) return []
  if (after === 'required')
    return [breaking('is "required" now: clients without tasks cannot call it', at)]
  if (after === 'optional') return [additive('is "optional" now', at)]
  return [breaking('is "forbidden" now: a call that asks for a task is refused', at)]
}

export function deprecationOf({ _meta }: JsonObject): Deprecation | undefined {
  const value = objectOf(_meta)[DEPRECATED_META]
  if (!isJsonObject(value)) return undefined
  const { use, until } = value
  return typeof use === 'string' && typeof until === 'string' ? { use, until } : undefined
}

function deprecationChanges(
  before: Deprecation | undefined,
  after: Deprecation | undefined,
): readonly Change[] {
  if (after === undefined) {
    return before === undefined ? [] : [textual('is not deprecated any more')]
  }
  if (before === undefined) {
    return [
      textual(`is deprecated: ${after.use} replaces it, and it is removed after ${after.until}`),
    ]
  }
  const changes: Change[] = []
  if (before.use !== after.use) changes.push(textual(`is replaced by ${after.use} now`))
  if (after.until > before.until) changes.push(textual(`is removed after ${after.until} now`))
  if (after.until < before.until) {
    changes.push(breaking(`is removed after ${after.until} now, and ${before.until} was announced`))
  }
  return changes
}

/** The description without the announcement of a deprecation, which is compared by itself. */
function ownDescription(definition: JsonObject): string {
  const { description } = definition
  const deprecation = deprecationOf(definition)
  const text = typeof description === 'string' ? description : ''
  if (deprecation === undefined) return text
  const announcement = deprecationText(deprecation)
  return text.startsWith(announcement) ? text.slice(announcement.length).trim() : text
}

function metaChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const own = [UI_META, DEPRECATED_META, RESOURCE_URI_META]
  const others = names
    .filter((name) => !own.includes(name) && isChanged(before[name], after[name]))
    .map((name) => textual('is another', `_meta.${name}`))
  return [...viewChanges(before, after), ...others]
}

/** Hosts read the view by the address in the list that they hold. */
function viewChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  const [old, now] = [viewOf(before), viewOf(after)]
  const at = `_meta.${UI_META}`
  const changes: Change[] = []
  if (old.uri !== now.uri) {
    if (old.uri === undefined) changes.push(additive(`has the view ${now.uri}`, at))
    else if (now.uri === undefined) changes.push(breaking(`has no view ${old.uri} any more`, at))
    else changes.push(breaking(`has another view: ${now.uri} instead of ${old.uri}`, at))
  }
  const lost = old.visibility.filter((one) => !now.visibility.includes(one))
  const won = now.visibility.filter((one) => !old.visibility.includes(one))
  if (lost.length > 0)
    changes.push(breaking(`is not visible to ${lost.join(' and ')} any more`, at))
  if (won.length > 0) changes.push(additive(`is visible to ${won.join(' and ')} too`, at))
  const isOther = isChanged(before[UI_META], after[UI_META])
  return changes.length === 0 && isOther ? [textual('is another', at)] : changes
}

function viewOf(meta: JsonObject) {
  const ui = objectOf(meta[UI_META])
  const uri = ui.resourceUri ?? meta[RESOURCE_URI_META]
  const visibility = Array.isArray(ui.visibility) ? ui.visibility.map(String) : ['app', 'model']
  return { uri: typeof uri === 'string' ? uri : undefined, visibility }
}
