/** Reads schemas of tools. They are JSON of others: of any depth, size and type. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'

type Schema = Readonly<Record<string, unknown>>

/** Nodes of one schema beyond these are not read. */
const MAX_NODES = 20_000

/** A message has less of a path. Without a bound, those of nested properties take the square of their number. */
const MAX_PATH_LENGTH = 1000

const COMPOSITIONS = ['oneOf', 'anyOf', 'allOf'] as const
const BRANCHES = ['then', 'else'] as const
const PROPERTIES = ['properties', 'patternProperties']

/** A schema, and the property that it describes: `filter.tags`, and nothing at the root. */
export interface SchemaPlace {
  readonly path: string
  /** The last part of the path, which may have full stops itself. */
  readonly name: string
  readonly schema: Schema
}

/** Every object inside of a schema that may be a schema, the root first. */
export function* schemasIn(root: unknown): Generator<SchemaPlace> {
  const open = [{ path: '', name: '', value: root, isProperties: false }]
  // The list grows while it is read.
  for (const { path, name, value, isProperties } of open) {
    if (isJsonObject(value) && !isProperties) yield { path, name, schema: value }
    if (typeof value !== 'object' || value === null) continue
    for (const [member, child] of Object.entries(value)) {
      if (typeof child !== 'object' || child === null) continue
      if (open.length === MAX_NODES) return
      open.push({
        path: isProperties
          ? [path, member].filter(Boolean).join('.').slice(0, MAX_PATH_LENGTH)
          : path,
        name: isProperties ? member : name,
        value: child,
        isProperties: !isProperties && PROPERTIES.includes(member) && isJsonObject(child),
      })
    }
  }
}

/** A property at any depth, and its path. */
export interface Property extends Argument {
  readonly path: string
}

/** The properties of a schema at any depth. One that several branches declare comes several times. */
export function* propertiesIn(root: unknown): Generator<Property> {
  for (const { path, name, schema } of schemasIn(root)) {
    if (name !== '') yield { path, name, schema }
  }
}

/** A property of the arguments, also where a branch of the root declares it. */
export interface Argument {
  readonly name: string
  readonly schema: Schema
}

/** The arguments of a tool, with those of the branches of its root. */
export function argumentsOf(inputSchema: Schema): readonly Argument[] {
  const found: Argument[] = []
  const open: { schema: unknown; depth: number }[] = [{ schema: inputSchema, depth: 0 }]
  for (
    let next = open.shift();
    next !== undefined && found.length < MAX_NODES;
    next = open.shift()
  ) {
    const { schema, depth } = next
    if (!isJsonObject(schema)) continue
    const { properties } = schema
    for (const [name, value] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (isJsonObject(value)) found.push({ name, schema: value })
    }
    if (depth === 3) continue
    for (const keyword of COMPOSITIONS) {
      const branches = schema[keyword]
      for (const branch of Array.isArray(branches) ? branches.slice(0, 1000) : []) {
        open.push({ schema: branch, depth: depth + 1 })
      }
    }
    for (const keyword of BRANCHES) open.push({ schema: schema[keyword], depth: depth + 1 })
  }
  return found
}

/** The texts that an argument may have: of `enum`, `const`, and of alternatives with `const`. */
export function choicesOf(schema: Schema): readonly string[] {
  const { enum: values, const: only } = schema
  const own = [...(Array.isArray(values) ? values : []), only]
  const items = isJsonObject(schema.items) ? choicesOf({ enum: schema.items.enum }) : []
  const branches = COMPOSITIONS.flatMap((keyword) => {
    const list = schema[keyword]
    return (Array.isArray(list) ? list : []).flatMap((branch) =>
      isJsonObject(branch)
        ? [branch.const, ...(Array.isArray(branch.enum) ? branch.enum : [])]
        : [],
    )
  })
  const texts = [...own, ...branches].filter((value): value is string => typeof value === 'string')
  return [...texts, ...items]
}
