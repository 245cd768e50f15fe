/**
 * The argument of a file in the list of tools: as ChatGPT needs it, and as `io.modelcontextprotocol/files` has it for clients
 * that declare that.
 *
 * ChatGPT declares no capability and fills an object with exactly these required members, so every client sees it. A
 * plain string is never content: a model passes paths and names where it has no file. The argument is not required,
 * because a model invents what is.
 */
import type { ListView } from '../../../dispatch/listing/list-view.ts'
import type { JsonSchema } from '../../../protocol/content.ts'
import { transfersFiles } from '../../../protocol/files-extension.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { Tool } from '../../../protocol/primitives.ts'
import type { Definition } from '../../../server/definition.ts'
import type { FileArgument, FileArguments } from '../../../server/file.ts'
import { acceptsType, isText } from '../operations/media-types.ts'

/**
 * The member of `_meta` that names the arguments which ChatGPT fills with files.
 *
 * @see https://developers.openai.com/apps-sdk/reference
 */
const FILE_PARAMS = 'openai/fileParams'

/** The variant of the list for clients that send files. */
const SENDING = 'files'

/** Whether a model may pass a file of these types as text. */
export function takesText({ types }: FileArgument): boolean {
  return types === undefined || types.some((type) => type === '*/*' || isText(type))
}

/** The tool with its files among the arguments. Every client gets this form that does not declare another. */
export function withArguments(tool: Tool, files: FileArguments): Tool {
  const entries = Object.entries(files).map(
    ([name, file]) => [name, referenceSchema(file)] as const,
  )
  const { [FILE_PARAMS]: own, ...meta } = tool._meta ?? {}
  const names = [...(Array.isArray(own) ? own : []), ...Object.keys(files)]
  return {
    ...tool,
    inputSchema: withProperties(tool.inputSchema, entries),
    _meta: { ...meta, [FILE_PARAMS]: names },
  }
}

/** Undefined for a definition without files among the arguments: its list is the same for all clients. */
export function fileView({ tools }: Definition): ListView<Tool> | undefined {
  if (![...tools.values()].some(({ fileArguments }) => fileArguments)) return undefined
  return {
    variantOf: (client) => (transfersFiles(client, 'upload') ? SENDING : ''),
    listed: (tool) => {
      const files = tools.get(tool.name)?.fileArguments
      return files === undefined ? tool : withSentFiles(tool, files)
    },
  }
}

function withSentFiles(tool: Tool, files: FileArguments): Tool {
  const entries = Object.entries(files).map(([name, file]) => [name, sentSchema(file)] as const)
  const { [FILE_PARAMS]: names, ...meta } = tool._meta ?? {}
  const others = (names as readonly string[]).filter((name) => !Object.hasOwn(files, name))
  return {
    ...tool,
    inputSchema: withProperties(tool.inputSchema, entries),
    _meta: others.length === 0 ? meta : { ...meta, [FILE_PARAMS]: others },
  }
}

function withProperties(
  schema: JsonSchema,
  entries: readonly (readonly [string, JsonSchema])[],
): JsonSchema {
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  return { ...schema, properties: { ...properties, ...Object.fromEntries(entries) } }
}

/**
 * An object that requires these two members or a text. ChatGPT passes the two, and refuses to fill one that requires others.
 * Other clients validate what their model writes before they send it.
 */
function referenceSchema(file: FileArgument): JsonSchema {
  const text = {
    type: 'string',
    description: 'In place of a file: the whole content of a short text file',
  }
  return {
    type: 'object',
    description: describe(file, LEAVE_OUT[file.required ? 'required' : 'optional']),
    properties: {
      download_url: { type: 'string' },
      file_id: { type: 'string' },
      mime_type: { type: 'string' },
      file_name: { type: 'string' },
      ...(takesText(file) ? { text } : undefined),
    },
    ...(takesText(file)
      ? { anyOf: [requiring(...REFERENCE), requiring('text')] }
      : { required: REFERENCE }),
  }
}

const REFERENCE = ['download_url', 'file_id']

/** A branch as strict validators want it, which declares what it requires. */
function requiring(...names: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { type: 'object', properties, required: names }
}

const LEAVE_OUT = {
  required:
    'Never invent a reference: leave the argument out where the client attaches no file. The answer then says how the person uploads it.',
  optional:
    'Optional. Never invent a reference: where the client attaches no file, pass the file_id "upload" with an empty download_url. The answer then says how the person uploads it.',
}

/** Claude Code sends files for an object with these members alone. Its model writes a path, which the client replaces. */
function sentSchema(file: FileArgument): JsonSchema {
  const { types, maxBytes } = file
  const text = { type: 'string' }
  const digest = {
    type: 'object',
    properties: { algorithm: { type: 'string', const: 'sha-256' }, value: text },
    required: ['algorithm', 'value'],
  }
  const size = { type: 'integer', minimum: 0 }
  const properties = { id: text, name: text, mimeType: text, size, digest }
  return {
    type: 'object',
    description: describe(file, ''),
    properties,
    required: Object.keys(properties),
    'x-mcp-file': {
      ...(types === undefined ? undefined : { accept: types }),
      ...(maxBytes === undefined ? undefined : { maxSize: maxBytes }),
    },
  }
}

/** One paragraph: what the file is for, its bounds, and a hint. */
function describe(file: FileArgument, hint: string): string {
  const bounds = boundsText(file)
  return [file.description, bounds === '' ? '' : `A file ${bounds}.`, hint]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
}

/** Such as `of at most 5000000 bytes and of type image/png or image/jpeg`; empty for any file. */
export function boundsText({ maxBytes, types }: Pick<FileArgument, 'maxBytes' | 'types'>): string {
  return [
    ...(maxBytes === undefined ? [] : [`of at most ${maxBytes} bytes`]),
    ...(types === undefined ? [] : [`of type ${types.join(' or ')}`]),
  ].join(' and ')
}

/** The media type of a text for which the model has named none: the first type of text that is accepted. */
export function textTypeOf({ types }: FileArgument, byName: string): string {
  if (acceptsType(types, byName)) return byName
  return types?.find((type) => !type.endsWith('*') && isText(type)) ?? byName
}
