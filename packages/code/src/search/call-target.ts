/**
 * Reads which tool a call of `call_tool` is for. Models write names and arguments in forms of other systems: what has one
 * meaning is served, everything else is refused with what to send instead.
 */

import { ToolError } from '../../../../src/index.ts'
import {
  type Definition,
  type Forwarded,
  hasScopes,
  isVisible,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import { parseBoundedJson } from '../../../../src/platform/bounded-json.ts'
import { nearestNames } from '../../../../src/platform/likeness.ts'
import { isForModel } from '../../../../src/protocol/apps.ts'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { excerpt } from '../../../../src/protocol/protocol-error.ts'
import type { OwnTools } from './own-tools.ts'

export interface CallTarget {
  readonly tool: ToolDefinition
  readonly args: JsonObject
}

export interface TargetReader {
  readonly definition: Definition
  readonly auth: AuthInfo | undefined
  readonly own: OwnTools
  /** Whether the tool that is called calls tools that only read. */
  readonly readOnly: boolean
}

export interface ForwardOptions {
  readonly own: OwnTools
  /** Whether the app has `tasks()`. */
  readonly hasTasks: boolean
}

/** Arguments in a text, those of a body by default. */
const ARGUMENT_BOUNDS = { depth: 64, values: 100_000 }

const NEAREST = 3

/** A name has at most 128 characters, and a prefix of a client about as many. */
const MAX_NAME = 300
const MAX_PREFIXES = 8

/**
 * The call of the other tool; undefined for any other call, for one that is answered with a refusal, and for one that is a
 * task of its own.
 */
export function forwardedCall(
  definition: Definition,
  params: JsonObject,
  auth: AuthInfo | undefined,
  { own, hasTasks }: ForwardOptions,
): Forwarded | undefined {
  const { name } = params
  const calling = typeof name === 'string' ? definition.tools.get(name) : undefined
  const role = own.roleOf(calling)
  if ((role !== 'call' && role !== 'read') || !isJsonObject(params.arguments)) return undefined
  try {
    const reader = { definition, auth, own, readOnly: role === 'read' }
    const { tool, args } = readTarget(params.arguments, reader)
    // The list of 2025-11-25 says of the calling tool alone that it may be a task, so a client asks for a task whichever
    // tool it calls. A call without the scopes is forwarded, and refused before there is a task.
    const isTask = hasTasks && params.task !== undefined && calling?.task !== undefined
    if (isTask && tool.task === undefined && hasScopes(tool, auth)) return undefined
    return { tool, params: { ...params, name: tool.info.name, arguments: args } }
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

/** @throws {ToolError} with what to send instead */
export function readTarget(given: JsonObject, reader: TargetReader): CallTarget {
  const { name, arguments: args, ...others } = given
  const tool = readTool(name, reader)
  if ((args === undefined || args === null) && Object.keys(others).length > 0) {
    const found = Object.keys(others)
      .slice(0, NEAREST)
      .map((key) => quoted(excerpt(key)))
    throw new ToolError(
      `The arguments of ${tool.info.name} belong into "arguments", which is absent. Found beside it: ${found.join(', ')}.`,
    )
  }
  return { tool, args: readArguments(args, tool) }
}

function readTool(name: unknown, reader: TargetReader): ToolDefinition {
  const { definition, auth, own, readOnly } = reader
  const searchTool = [...definition.tools.values()].find((each) => own.roleOf(each) === 'search')
  const search = searchTool?.info.name ?? ''
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ToolError(
      `"name" must be the name of a tool. Find it with ${search} { "query": "…" }.`,
    )
  }
  const visible = [...definition.tools.values()].filter(
    (each) => isForModel(each.info) && isVisible(each, auth),
  )
  const tool = findNamed(visible, name.trim())
  if (tool === undefined) {
    const callable = visible.filter((each) => own.roleOf(each) === undefined)
    const nearest = nearestNames(
      callable.map(({ info }) => info.name),
      name.slice(0, 200),
      NEAREST,
    )
    const near = nearest.length === 0 ? '' : ` The nearest: ${nearest.join(', ')}.`
    throw new ToolError(
      `There is no tool ${quoted(excerpt(name))}.${near} Search first: ${search} { "query": "…" }.`,
    )
  }
  const role = own.roleOf(tool)
  if (role === 'call' || role === 'read') {
    throw new ToolError(
      `"name" must be the name of a tool that ${search} has found, not ${tool.info.name}`,
    )
  }
  if (tool.isDirect) {
    throw new ToolError(`${tool.info.name} is not called through another tool: call it itself.`)
  }
  if (readOnly && tool.info.annotations?.readOnlyHint !== true) {
    const call = [...definition.tools.values()].find((each) => own.roleOf(each) === 'call')
    throw new ToolError(
      `${tool.info.name} does not only read. Call it with ${call?.info.name}, with the same name and arguments.`,
    )
  }
  return tool
}

/**
 * The tool of a name: as written, else without the prefix by which a client tells servers apart
 * (`mcp__server__name`, `server.name`), else by its letters and digits. Undefined where several tools have them.
 */
function findNamed(tools: readonly ToolDefinition[], name: string): ToolDefinition | undefined {
  if (name.length > MAX_NAME) return undefined
  const candidates = [name, ...suffixesOf(name)]
  for (const candidate of candidates) {
    const exact = tools.find(({ info }) => info.name === candidate)
    if (exact !== undefined) return exact
  }
  const plain = tools.map((tool) => ({ tool, plain: plainName(tool.info.name) }))
  for (const candidate of candidates.map(plainName)) {
    const alike = plain.filter((each) => candidate !== '' && each.plain === candidate)
    if (alike.length > 0) return alike.length === 1 ? alike[0]?.tool : undefined
  }
  return undefined
}

/** What follows the separators of a prefix, the longest first. */
function suffixesOf(name: string): string[] {
  return [...name.matchAll(/__|[.:/]/g)]
    .slice(0, MAX_PREFIXES)
    .map(({ index, 0: separator }) => name.slice(index + separator.length))
    .filter((suffix) => suffix !== '')
}

const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

function readArguments(given: unknown, { info }: ToolDefinition): JsonObject {
  if (given === undefined || given === null || given === '') return {}
  if (isJsonObject(given)) return given
  const parsed =
    typeof given === 'string' ? parseBoundedJson(given, ARGUMENT_BOUNDS) : { ok: false as const }
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value
  throw new ToolError(
    `"arguments" must be an object with the arguments of ${info.name}, as its inputSchema describes them`,
  )
}

const quoted = (text: string) => JSON.stringify(text)
