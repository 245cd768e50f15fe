/**
 * `io.modelcontextprotocol/files`: a client sends the file of an argument outside of the messages, and saves the files of
 * results. No draft is public; the forms are those that Claude Code 2.1.332 (2026-11-24) sends and accepts.
 */
import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import type { Era } from './revisions.ts'

export const FILES_EXTENSION = 'io.modelcontextprotocol/files'

/** The form of `resultType: "upload_required"`: where the client sends the bytes of one file. Clients refuse other members. */
export interface UploadTarget {
  /** As the argument names the file. */
  readonly fileId: string
  /** At most 4,096 characters. */
  readonly url: string
  readonly method: 'PUT'
  readonly credentials: 'omit'
  /** RFC 3339. */
  readonly expiresAt: string
}

/** Whether the client of a request sends files of arguments (`upload`), or saves those of results (`download`). */
export function transfersFiles(
  { era, capabilities }: { readonly era: Era; readonly capabilities: ClientCapabilities },
  way: 'upload' | 'download',
): boolean {
  return era === 'modern' && hasCapability(capabilities, ['extensions', FILES_EXTENSION, way])
}
