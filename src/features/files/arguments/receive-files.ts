/**
 * Receives the files of a call before its handler runs: from what the client passes, or from the person. Each is stored
 * once, as a step of the journal, so that a handler that runs again has the same files.
 */
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import type { FileBytes, FileStored } from '../../../ports/files.ts'
import type { ReturnedToolResult } from '../../../protocol/primitives.ts'
import type { ToolDefinition } from '../../../server/definition.ts'
import type { FileArguments, UploadedFile } from '../../../server/file.ts'
import { mediaTypeOf } from '../../../server/media-type.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { operationsOf } from '../../asks/run-round.ts'
import { fileIdOf, recordOf, storeFailure } from '../operations/create-file.ts'
import { openFileUri, openHandle } from '../operations/file-seals.ts'
import { boundsWords } from '../operations/file-words.ts'
import { CallFile, type FileRecord, filesOf, findFile } from '../operations/stored-file.ts'
import { askForFile, closeUploads } from '../operations/upload.ts'
import { download } from './download.ts'
import { boundsOf, canAskForUrl, readFiles } from './passed-files.ts'
import { checkType, type NamedArgument, type PassedFile, tooLarge } from './read-argument.ts'
import { findSent } from './sent-files.ts'
import { createTicket, stillMissing, ticketResult } from './ticket.ts'

/**
 * @param tool whose call it is
 * @param received the files are added to it
 * @returns the result of the call where the person must upload a file first; undefined where all files are there
 * @throws {ToolError}
 */
export async function receiveFiles(
  run: HandlerRun,
  { output }: Pick<ToolDefinition, 'output'>,
  files: FileArguments,
  received: object,
): Promise<ReturnedToolResult | undefined> {
  // Everything is read before anything is fetched.
  const passed = readFiles(run.call, files)
  const add = (name: string, file: UploadedFile | undefined) =>
    Object.defineProperty(received, name, { value: file, enumerable: true, configurable: true })
  const missing = passed.flatMap(({ argument, value }) =>
    value.kind === 'upload' ? [argument] : [],
  )
  const endsWithTicket = missing.length > 0 && !canAskForUrl(run.call)
  for (const { argument, value } of passed) {
    // The next call passes the file again: nothing is stored for this one.
    if (value.kind === 'upload' || (endsWithTicket && isNew(value))) continue
    add(argument.name, await receive(run, argument, value))
  }
  if (endsWithTicket) {
    const tickets = await Promise.all(missing.map((item) => createTicket(run, item)))
    return ticketResult(run, tickets, output !== undefined)
  }
  // Asks that are made together are sent together.
  const asked = await Promise.all(missing.map((item) => ask(run, item)))
  for (const [index, { name }] of missing.entries()) add(name, asked[index])
  return undefined
}

/** Whether a file would be stored, or downloaded and stored, or has not been sent. */
function isNew({ kind }: PassedFile): boolean {
  return kind === 'bytes' || kind === 'url' || kind === 'sent'
}

async function ask(run: HandlerRun, { name, file }: NamedArgument): Promise<UploadedFile> {
  const { maxBytes, types: mimeTypes, ttlMs, description } = file
  const bounds = boundsWords(file)
  const { action, file: uploaded } = await askForFile(run, {
    key: `files.${name}`,
    message: `Upload the file for "${name}"${bounds === '' ? '' : ` (${bounds})`}${description ? `: ${description}` : ''}`,
    ...{ maxBytes, mimeTypes, ttlMs, reason: description ?? `The file for “${name}”` },
  })
  if (uploaded !== undefined) return uploaded
  // The call ends, also for the other files that it has asked for.
  await closeUploads(run)
  throw new ToolError(
    `The person did not upload the file for "${name}" (${action}). Ask the person before the tool is called again.`,
    { reason: 'not-uploaded' },
  )
}

async function receive(
  run: HandlerRun,
  argument: NamedArgument,
  passed: Exclude<PassedFile, { readonly kind: 'upload' }>,
): Promise<UploadedFile | undefined> {
  const { call } = run
  switch (passed.kind) {
    case 'none':
      return undefined
    case 'handle':
      return find(run, argument, passed.text)
    case 'uri': {
      const named = await openFileUri(call, passed.text)
      if (named === undefined) throw unknownFile(argument.name)
      const found = await findFile(call, named)
      if (found === undefined) throw expiredFile(argument.name)
      return fitting(run, argument, await recordOf(call, named.owner, found))
    }
    case 'sent': {
      if (passed.size === 0) return store(run, argument, passed, async () => new Uint8Array())
      const found = await findSent(run, argument.name)
      return fitting(run, argument, await recordOf(call, found.owner, found))
    }
    case 'bytes':
      return store(run, argument, passed, async () => passed.bytes)
    case 'url':
      return storeDownload(run, argument, passed)
  }
}

/** The file that was uploaded at the page of a ticket. */
async function find(
  run: HandlerRun,
  argument: NamedArgument,
  handle: string,
): Promise<UploadedFile> {
  const { call } = run
  const { name } = argument
  const opened = await openHandle(call, name, handle)
  if (opened === undefined) throw unknownFile(name)
  const found = await findFile(call, opened)
  if (found === undefined) throw await stillMissing(run, name, opened)
  return fitting(run, argument, await recordOf(call, opened.owner, found))
}

function unknownFile(name: string): ToolError {
  return new ToolError(
    `There is no file of this caller and tool with the reference that was passed for "${name}". Call the tool again without "${name}", and the answer says how the person uploads the file.`,
    { reason: 'unknown-file' },
  )
}

function expiredFile(name: string): ToolError {
  return new ToolError(
    `The file that was passed for "${name}" has expired. Pass another one, or call the tool again without "${name}", and the answer says how the person uploads it.`,
    { reason: 'expired' },
  )
}

/** The bounds of the argument may be others than those of the file. */
function fitting({ call }: HandlerRun, argument: NamedArgument, record: FileRecord): UploadedFile {
  const { maxBytes = Number.POSITIVE_INFINITY } = argument.file
  checkType(argument, record.mimeType)
  if (record.size > maxBytes) throw tooLarge(argument.name, maxBytes)
  return new CallFile(call, record)
}

interface Described {
  readonly name: string
  readonly mimeType: string
}

/** Stores bytes once. They are created in the first run alone. */
async function store(
  run: HandlerRun,
  argument: NamedArgument,
  { name, mimeType }: Described,
  bytes: () => Promise<FileBytes>,
): Promise<UploadedFile> {
  const record = await operationsOf(run).run('file-in', argument.name, async (operation) =>
    storeAs(run, argument, operation, { name, mimeType }, await bytes()),
  )
  return new CallFile(run.call, record)
}

function storeDownload(
  run: HandlerRun,
  argument: NamedArgument,
  { text, name, mimeType }: Extract<PassedFile, { readonly kind: 'url' }>,
): Promise<UploadedFile> {
  const { call } = run
  const { signal } = call.run.cancellation
  const options = { name: argument.name, ownOrigin: call.request.origin(), signal }
  // The client says what it has attached before its host is asked.
  if (mimeType !== undefined) checkType(argument, mimeType)
  return operationsOf(run)
    .run('file-in', argument.name, (operation) =>
      download(text, options, async ({ body, size, ...response }) => {
        const type = mimeType ?? response.mimeType ?? mediaTypeOf(name, false)
        const { maxBytes } = boundsOf(call, argument)
        try {
          checkType(argument, type)
          if (size !== undefined && size > maxBytes) throw tooLarge(argument.name, maxBytes)
        } catch (error) {
          body.cancel().catch(() => undefined)
          throw error
        }
        return storeAs(run, argument, operation, { name, mimeType: type }, body)
      }),
    )
    .then((record) => new CallFile(call, record))
}

/** @throws {ToolError} `too-large`, `too-many`, `no-space` */
async function storeAs(
  run: HandlerRun,
  argument: NamedArgument,
  operation: string,
  described: Described,
  bytes: FileBytes,
): Promise<FileRecord> {
  const { call } = run
  const { owner, id } = await fileIdOf(call, operation)
  const stored: FileStored = await filesOf(call)
    .of(owner)
    .store({ id, ...described, ...boundsOf(call, argument) }, bytes)
  if (stored.kind === 'too-large') throw tooLarge(argument.name, stored.limit)
  if (stored.kind !== 'stored' && stored.kind !== 'existing') throw storeFailure(stored)
  return recordOf(call, owner, stored.file)
}
