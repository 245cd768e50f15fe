/** What to change in code that has failed: the faults that models make again and again. */
import { nearestNames } from '../../../../src/platform/likeness.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { ModuleTool, ToolModule } from './module-names.ts'

interface Failure {
  readonly error: string
  readonly source: string
  readonly module: ToolModule
  /** The calls whose results the code had not awaited when it failed. */
  readonly unawaited: readonly string[]
}

const NEAREST = 3

/** What other places have, in which models have learned to write code. */
const ABSENT = new Set(
  (
    'fetch XMLHttpRequest WebSocket setTimeout setInterval setImmediate clearTimeout clearInterval require module process ' +
    'Buffer crypto performance window document navigator fs path axios Deno Bun caches'
  ).split(' '),
)

/** Undefined for a failure that says itself what to change. */
export function adviceFor(failure: Failure): string | undefined {
  const { error, source, module, unawaited } = failure
  if (error.startsWith('SyntaxError: ')) {
    return 'Send plain JavaScript: the body of an async function, without modules. Types are removed where that is enough, but not those of classes, enum, namespace and decorators.'
  }
  const [, absentTool] = /^TypeError: tools\.([\w$]{1,128}) is not a function$/.exec(error) ?? []
  if (absentTool !== undefined) return noTool(absentTool, module)
  const [, absent] = /^ReferenceError: ([\w$]{1,128}) is not defined$/.exec(error) ?? []
  if (absent !== undefined) return adviceForName(absent, failure)
  if (!error.startsWith('TypeError: ')) return undefined
  if (/\.content\b/.test(source) && /\(reading '(?:content|0|text)'\)$/.test(error)) {
    return 'A call resolves with its value: the structured content, or the text. It has no content[0].text.'
  }
  return unawaited.length > 0 && / is not iterable|is not a function|of undefined/.test(error)
    ? `The results of ${countedNames(unawaited)} were not awaited. Write await before each call.`
    : undefined
}

function adviceForName(name: string, { source, module }: Failure): string | undefined {
  if (ABSENT.has(name)) {
    return `Code has no ${name}: it has no network, timers, modules and files. It has the tools of this server, which await tools.name(args) calls, and find("words").`
  }
  if (identifiers(module).includes(name) || module.has(name)) {
    return `Tools are members of tools: await tools.${name}(args).`
  }
  // In JavaScript it is two comparisons.
  return new RegExp(`<[^<>()]{0,99}\\b${name.replaceAll('$', '\\$')}\\b[^<>()]{0,99}>`).test(source)
    ? `Call without the types: name(args), not name<${name}>(args).`
    : undefined
}

function noTool(name: string, module: ToolModule): string {
  const nearest = nearestNames(identifiers(module), name, NEAREST)
  const near = nearest.length === 0 ? '' : ` The nearest: ${nearest.join(', ')}.`
  return `There is no tool ${name}.${near} Use find("words").`
}

const identifiers = (module: ToolModule) =>
  Array.from(module.values(), ({ identifier }) => identifier)

/** Names that a tool does not have; undefined where it has all. Most tools ignore them without a word. */
export function unknownArguments(
  { identifier, tool }: ModuleTool,
  args: unknown,
): string | undefined {
  const { properties, additionalProperties, patternProperties, allOf, anyOf, oneOf, $ref } =
    tool.info.inputSchema
  const isOpen = [patternProperties, allOf, anyOf, oneOf, $ref].some((each) => each !== undefined)
  if (isOpen || !isJsonObject(properties) || !isJsonObject(args)) return undefined
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties, name))
  if (unknown.length === 0) return undefined
  const named = unknown.slice(0, NEAREST).map((name) => {
    const shown = name.slice(0, 64)
    const [nearest] = nearestNames(Object.keys(properties), shown, 1)
    return nearest === undefined ? `"${shown}"` : `"${shown}" (the nearest: "${nearest}")`
  })
  return `${identifier} has no argument ${named.join(', ')}`
}

/** Each name once, in the order of their first calls, with its count. */
export function countedNames(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`))
    .join(', ')
}
