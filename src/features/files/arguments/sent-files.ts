/**
 * Files that a client sends by `io.modelcontextprotocol/files`: the call is answered with a target for each, and made again
 * with its state when they are sent. That happens before the handler runs and before there is a task, so a handler asks
 * after it, and a call whose files do not arrive has had no effect.
 */
import type { Call } from '../../../dispatch/call.ts'
import type { UploadExtension } from '../../../dispatch/extensions.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { EMPTY_STATE, SENT_FILES } from '../../../dispatch/journal/journal.ts'
import { Suspension } from '../../../dispatch/journal/suspension.ts'
import { randomToken } from '../../../platform/random-token.ts'
import type { FoundFile } from '../../../ports/files.ts'
import { transfersFiles, type UploadTarget } from '../../../protocol/files-extension.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { Definition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { answerTimeoutMs } from '../../asks/asks-options.ts'
import type { FileId } from '../operations/file-seals.ts'
import { findFile } from '../operations/stored-file.ts'
import { slotOf } from '../operations/upload.ts'
import { boundsOf, canAskForUrl, readFiles } from './passed-files.ts'
import { type NamedArgument, type PassedFile, tooLarge } from './read-argument.ts'

type Sent = Extract<PassedFile, { readonly kind: 'sent' }>

interface NamedFile {
  readonly argument: NamedArgument
  readonly value: Sent
}

export const uploads: UploadExtension = {
  request: ({ fileArguments }, { definition }, call) => {
    if (fileArguments === undefined || call.request.params?.requestState !== undefined) return
    if (!transfersFiles(call.client, 'upload')) return
    const passed = readFiles(call, fileArguments)
    // Such a call ends with a ticket, and the next one passes its files again.
    if (passed.some(({ value }) => value.kind === 'upload') && !canAskForUrl(call)) return
    const sent = passed.flatMap(({ argument, value }) =>
      value.kind === 'sent' ? [{ argument, value }] : [],
    )
    checkFiles(call, sent)
    // A file without bytes has no target.
    const filled = sent.filter(({ value }) => value.size > 0)
    return filled.length === 0 ? undefined : request(call, definition, filled)
  },
}

/** @throws {ToolError} before anything is sent */
function checkFiles(call: Call, sent: readonly NamedFile[]): void {
  const ids = new Set<string>()
  for (const { argument, value } of sent) {
    const { maxBytes } = boundsOf(call, argument)
    if (value.size > maxBytes) throw tooLarge(argument.name, maxBytes)
    if (ids.has(value.id)) {
      throw new ToolError('Two files of the call have one id. Give each its own.', {
        reason: 'not-accepted',
      })
    }
    ids.add(value.id)
  }
}

async function request(
  call: Call,
  definition: Definition,
  sent: readonly NamedFile[],
): Promise<never> {
  const timeoutMs = answerTimeoutMs(call.deployment)
  const run = { call, place: { definition } }
  const slots = await Promise.all(
    sent.map(async ({ argument: { name: argument, file }, value }) => {
      const { kind: _, id: fileId, ...one } = value
      const wanted = { maxBytes: one.size, ttlMs: file.ttlMs, reason: file.description, sent: one }
      const slot = await slotOf(run, wanted, randomToken(), timeoutMs, undefined)
      return { argument, fileId, ...slot }
    }),
  )
  const targets = slots.map(({ fileId, url, expiresAt }): UploadTarget => {
    const until = new Date(expiresAt).toISOString()
    return { fileId, url, method: 'PUT', credentials: 'omit', expiresAt: until }
  })
  const places = Object.fromEntries(
    slots.map(({ argument, owner, id }) => [argument, { owner, id }]),
  )
  const state = { ...EMPTY_STATE, steps: { [SENT_FILES]: places } }
  throw new Suspension({}, state, false, {}, targets)
}

/** @throws {ToolError} `not-uploaded` for a file that is not there */
export async function findSent(
  { call, journal }: HandlerRun,
  argument: string,
): Promise<FoundFile & FileId> {
  const places = journal?.read(SENT_FILES, 'step')?.value
  const place = isJsonObject(places) && Object.hasOwn(places, argument) && places[argument]
  if (!place) {
    throw new ToolError(
      `The file of the argument "${argument}" was not asked for: it is sent in a call of the tool itself, by a client that declares the files extension with upload in it. Pass it in another form, or leave it out, and the answer says how the person uploads it.`,
      { reason: 'not-accepted' },
    )
  }
  const { owner, id } = place as unknown as FileId
  const found = await findFile(call, { owner, id })
  if (found !== undefined) return { ...found, owner }
  throw new ToolError(
    `The file of the argument "${argument}" has not arrived. Send its bytes to the target of the answer, and make the call again with the same requestState. After the time of the target, make it without requestState.`,
    { reason: 'not-uploaded' },
  )
}
