/**
 * Tickets: for a client that cannot be asked, the call ends with the URL of a page, at which the person uploads the file, and
 * a handle, which the model passes in the next call. Both are seals of the same file, so nothing is stored until it arrives.
 */
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { UPLOADS_META } from '../../../protocol/file-arguments.ts'
import type { ReturnedToolResult } from '../../../protocol/primitives.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { answerTimeoutMs } from '../../asks/asks-options.ts'
import { operationsOf } from '../../asks/run-round.ts'
import { type FileHandle, sealHandle } from '../operations/file-seals.ts'
import { filesOf } from '../operations/stored-file.ts'
import { slotOf } from '../operations/upload.ts'
import { boundsText } from './argument-schema.ts'
import type { NamedArgument } from './read-argument.ts'

interface Ticket {
  readonly argument: string
  /** The page that receives the file: by its form, or by `PUT`. */
  readonly page: string
  readonly handle: string
  /** Until when the page accepts the file, in epoch milliseconds. */
  readonly expiresAt: number
  readonly bounds: string
}

export async function createTicket(
  run: HandlerRun,
  { name, file }: NamedArgument,
): Promise<Ticket> {
  const { call } = run
  const { maxBytes, types: mimeTypes, ttlMs, description: reason } = file
  const request = { maxBytes, mimeTypes, ttlMs, reason }
  const timeoutMs = answerTimeoutMs(call.deployment)
  const { url, ...slot } = await operationsOf(run).run('file-ticket', name, (operation) =>
    slotOf(run, request, operation, timeoutMs, undefined),
  )
  const handle = await sealHandle(call, name, slot)
  const { expiresAt } = slot
  return { argument: name, page: url, handle, expiresAt, bounds: boundsText(file) }
}

/** An error only where an output schema allows no other result without its value, and for code, which would use the text as the value. */
export function ticketResult(
  { call, place }: HandlerRun,
  tickets: readonly Ticket[],
  hasOutput: boolean,
): ReturnedToolResult {
  const tool = String(call.request.params?.name)
  const uploads = tickets.map(({ bounds: _, ...ticket }) => ticket)
  return {
    content: [{ type: 'text', text: tickets.map((ticket) => describe(tool, ticket)).join('\n\n') }],
    ...(hasOutput || place.outer !== undefined ? { isError: true } : undefined),
    _meta: { [UPLOADS_META]: uploads },
  }
}

function describe(tool: string, { argument, page, handle, expiresAt, bounds }: Ticket): string {
  const reference = JSON.stringify({ [argument]: { download_url: '', file_id: '<handle>' } })
  return [
    `${tool} needs a file for "${argument}"${bounds === '' ? '' : ` ${bounds}`}. Give the person the page, and wait until the file is uploaded there. Then call ${tool} again with the same arguments and ${reference}`,
    `page: ${page}`,
    `handle: ${handle}`,
    `The page accepts one file until ${new Date(expiresAt).toISOString()}, also from a program by PUT.`,
  ].join('\n')
}

/** Why the file of a ticket is not there. */
export async function stillMissing(
  { call }: HandlerRun,
  name: string,
  { owner, id, expiresAt }: FileHandle,
): Promise<ToolError> {
  const state = await filesOf(call).of(owner).uploadState(id)
  if (state === 'open' && expiresAt > Date.now()) {
    return new ToolError(
      `The file for "${name}" is not uploaded yet. Ask the person to upload it at the page that came with this handle, and then call the tool again with the same arguments.`,
      { reason: 'not-uploaded' },
    )
  }
  return new ToolError(
    `The time to upload the file for "${name}" has ended, or the file has expired. Call the tool again without "${name}" for a new page.`,
    { reason: 'expired' },
  )
}
