/** The tool that runs code. */

import type { StandardSchema } from '../../../../src/index.ts'
import {
  CALLS_ANY,
  CALLS_READING,
  defineTool,
  definitionOf,
  type FullContext,
  hasScopes,
  runOf,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { insufficientScope } from '../../../../src/protocol/protocol-error.ts'
import { describeModule } from './description.ts'
import { executeCode } from './execution.ts'
import { type ToolModule, visibleModule } from './module-names.ts'
import { bytesFor, type CodeResult, OUTPUT_SCHEMA, toCodeResult } from './output.ts'
import { loaderOf } from './sandbox.ts'
import { MAX_SOURCE_LENGTH, readSource } from './source.ts'

export interface ExecuteOptions {
  readonly name: string
  readonly binding: string
  readonly readOnly: boolean
  readonly maxCalls: number
  readonly cpuMs: number
  readonly timeoutMs: number | undefined
  /** Whether the app has `tasks()`. */
  readonly hasTasks: boolean
}

/** How often progress is reported at most: a client without progress may time out. */
const PROGRESS_MS = 1_000

interface Input {
  readonly code: string
}

const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      description: 'JavaScript: the body of an async function',
      maxLength: MAX_SOURCE_LENGTH,
    },
  },
  required: ['code'],
}

const isInput = (value: unknown): value is Input =>
  isJsonObject(value) && typeof value.code === 'string'

/** A schema with a check of its own: the validator of JSON Schema is larger than all of this. */
function schemaOf<T>(
  json: Record<string, unknown>,
  check: (value: unknown) => boolean,
): StandardSchema<T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'edgeway/code',
      validate: (value) =>
        check(value)
          ? { value: value as T }
          : { issues: [{ message: 'must be a text', path: ['code'] }] },
      jsonSchema: { input: () => json, output: () => json },
    },
  }
}

export function defineExecute(module: ToolModule, options: ExecuteOptions): ToolDefinition {
  const { name, readOnly, maxCalls, timeoutMs, hasTasks } = options
  const tool = defineTool(
    name,
    {
      title: 'Run code',
      annotations: readOnly ? CALLS_READING : CALLS_ANY,
      inputSchema: schemaOf(INPUT_SCHEMA, isInput),
      outputSchema: schemaOf<CodeResult>(OUTPUT_SCHEMA, () => true),
      // What asks once asks once in code.
      singleUse: [...module.values()].some(({ tool: { singleUse } }) => singleUse),
      ...(timeoutMs === undefined ? undefined : { timeoutMs }),
      ...(hasTasks ? { task: { support: 'optional', inlineMs: 2_000 } as const } : undefined),
    },
    ({ code }: Input, ctx: FullContext) => execute(module, options, code, ctx),
  )
  return {
    ...tool,
    info: withDescription(tool.info, () => describeModule(module, maxCalls, readOnly)),
    isResumable: true,
    checkCall: (args, auth) => checkMentioned(module, args, auth),
  }
}

/** The description is written when a client asks for the list: a factory builds many definitions. */
function withDescription<Info extends object>(info: Info, write: () => string): Info {
  let text: string | undefined
  return Object.defineProperty({ ...info }, 'description', {
    enumerable: true,
    get() {
      text ??= write()
      return text
    },
  })
}

async function execute(
  module: ToolModule,
  { name, binding, maxCalls, cpuMs }: ExecuteOptions,
  code: string,
  ctx: FullContext,
): Promise<CodeResult> {
  const run = runOf(ctx)
  if (run === undefined) throw new TypeError(`Tool ${name} needs the context of its call`)
  const source = readSource(code)
  const loader = loaderOf(ctx.env, binding, name)
  const maxBytes = bytesFor(ctx.client.info?.name)
  let reportedAt = Date.now()
  const end = await executeCode({
    run,
    module: visibleModule(module, definitionOf(run), ctx.auth),
    loader,
    source,
    maxCalls,
    cpuMs,
    maxResult: maxBytes,
    onProgress: (calls, tool) => {
      if (Date.now() - reportedAt < PROGRESS_MS) return
      reportedAt = Date.now()
      run.call.run.waitUntil(ctx.progress(calls, undefined, tool).catch(() => undefined))
    },
  })
  return toCodeResult(end, maxBytes)
}

/**
 * Requires the scopes of the tools that code names, before it runs: a client that gets them afterwards sends the call anew,
 * and what it had done until then would be done twice.
 *
 * @throws {ProtocolError} with the missing scopes of all of them
 */
function checkMentioned(
  module: ToolModule,
  { code }: JsonObject,
  auth: AuthInfo | undefined,
): void {
  if (typeof code !== 'string') return
  const named = namedTools(code)
  const missing = [...module].filter(
    ([name, { identifier, tool }]) =>
      !hasScopes(tool, auth) && (named.has(identifier) || named.has(name)),
  )
  if (missing.length === 0) return
  throw insufficientScope([...new Set(missing.flatMap(([, { tool }]) => tool.scopes))])
}

/** `tools.name`, `tools["name"]`, and `{ name, … } = tools`. */
const MEMBERS =
  /\btools\s*(?:\?\.|\.)\s*([\w$]+)|\btools\s*(?:\?\.)?\[\s*["'`]([^"'`]{1,256})["'`]/g
const DESTRUCTURED = /\{([^{}]{1,2000})\}\s*=\s*tools\b/g

function namedTools(code: string): ReadonlySet<string> {
  const members = [...code.matchAll(MEMBERS)].map(([, member, key]) => member ?? key ?? '')
  const taken = [...code.matchAll(DESTRUCTURED)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace(/:.*/s, '').replace(/["'`]/g, '').trim()),
  )
  return new Set([...members, ...taken])
}
