/** `file()`: declares a file that a tool takes, and adds the arguments of its files to a tool. */

import { runOf } from '../../../dispatch/handler-context.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import type { ToolDefinition } from '../../../server/definition.ts'
import {
  DEFINE_FILES,
  type FileArgument,
  type FileArgumentOptions,
  type FileArguments,
} from '../../../server/file.ts'
import type { CompiledSchema } from '../../../server/schema/compile.ts'
import { checkTypes } from '../operations/media-types.ts'
import { lifetimeOf } from '../operations/stored-file.ts'
import { withArguments } from './argument-schema.ts'
import { receiveFiles } from './receive-files.ts'

/** Also the end of a key of the journal. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,31}$/

const MAX_FILES = 8

/**
 * A file that a tool takes: `files: { photo: file({ types: ['image/*'] }) }` in its config. The handler has it as
 * `ctx.files.photo`, in whichever way it came. Needs `files()`.
 *
 * @throws {TypeError} for a malformed option
 */
export function file(options?: FileArgumentOptions<true>): FileArgument<true>
export function file(options: FileArgumentOptions<false>): FileArgument<false>
export function file({ required = true, ...options }: FileArgumentOptions = {}): FileArgument {
  const { description, maxBytes, types, ttlMs } = options
  if (description !== undefined && typeof description !== 'string') {
    throw new TypeError('file(): description must be a string')
  }
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
    throw new TypeError('file(): maxBytes must be an integer above 0')
  }
  if (typeof required !== 'boolean') throw new TypeError('file(): required must be true or false')
  checkTypes('file(): types', types)
  if (ttlMs !== undefined) lifetimeOf(ttlMs)
  return { ...options, required, [DEFINE_FILES]: defineFiles }
}

function defineFiles(subject: string, files: FileArguments, tool: ToolDefinition): ToolDefinition {
  const names = Object.keys(files)
  if (names.length > MAX_FILES) throw new TypeError(`${subject}: at most ${MAX_FILES} files`)
  const { properties } = tool.info.inputSchema
  for (const name of names) {
    if (files[name]?.[DEFINE_FILES] === undefined) {
      throw new TypeError(`${subject}: files.${name} must be the value of file({ … })`)
    }
    if (!NAME.test(name)) {
      throw new TypeError(
        `${subject}: files.${name}: use 1 to 32 of the characters A-Z a-z 0-9 _, and no digit first`,
      )
    }
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) {
      throw new TypeError(
        `${subject}: files.${name} is a property of inputSchema too: leave it out there`,
      )
    }
  }
  const info = withArguments(tool.info, files)
  return {
    ...tool,
    info,
    fileArguments: files,
    input: {
      json: info.inputSchema,
      confirmDefaults: tool.input?.confirmDefaults,
      isRaw: tool.input?.isRaw ?? true,
      validate: validateOthers(tool.input, names),
    },
    run: async (args, ctx) => {
      // Throws where the app lacks `files()`.
      const received = ctx.files
      const run = runOf(ctx)
      if (run === undefined) throw new TypeError('ctx is not that of the call')
      const missing = await receiveFiles(run, tool, files, received)
      return missing ?? tool.run(args, ctx)
    },
  }
}

/** The author's schema validates the arguments without the files, which are read later. */
function validateOthers(
  input: CompiledSchema | undefined,
  names: readonly string[],
): CompiledSchema['validate'] {
  return (value) => {
    const others = Object.entries(value as JsonObject).filter(([name]) => !names.includes(name))
    const args = Object.fromEntries(others)
    return input === undefined ? { value: args } : input.validate(args)
  }
}
