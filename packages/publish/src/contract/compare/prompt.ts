/** Compares two versions of a prompt. Its arguments are texts. */
import type { JsonObject } from '../../../../../src/protocol/json.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { additive, breaking, type Change } from './difference.ts'
import { objectOf, otherMembers } from './members.ts'

export function promptChanges(before: JsonObject, after: JsonObject): readonly Change[] {
  const [old, now] = [argumentsOf(before), argumentsOf(after)]
  const removed = [...old.keys()]
    .filter((name) => !now.has(name))
    .map((name) => breaking('is removed', `argument ${name}`))
  const changed = [...now].flatMap(([name, argument]) =>
    argumentChanges(name, old.get(name), argument),
  )
  return [...removed, ...changed, ...otherMembers(before, after, ['arguments'])]
}

function argumentChanges(
  name: string,
  before: JsonObject | undefined,
  after: JsonObject,
): readonly Change[] {
  const at = `argument ${name}`
  const isRequired = after.required === true
  if (before === undefined) {
    return [isRequired ? breaking('is new and required', at) : additive('is new', at)]
  }
  const texts = otherMembers(before, after, ['required']).map((one) => ({
    ...one,
    at: `${at}, ${one.at ?? ''}`,
  }))
  if ((before.required === true) === isRequired) return texts
  return [
    isRequired ? breaking('is required now', at) : additive('is not required any more', at),
    ...texts,
  ]
}

const argumentsOf = (prompt: JsonObject): ReadonlyMap<string, JsonObject> =>
  new Map(
    listIn(prompt, 'arguments')
      .map(objectOf)
      .map((argument) => [String(argument.name), argument]),
  )
