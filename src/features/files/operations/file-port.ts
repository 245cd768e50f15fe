/** Files as a call sees them. The option `files` implements this, so a server without it bundles none of the code. */

import type { EventWait } from '../../../dispatch/journal/wait.ts'
import type { ReadResourceResult } from '../../../protocol/primitives.ts'
import type {
  FileData,
  FileOptions,
  PageOptions,
  StoredFile,
  TextPage,
  UploadRequest,
  UploadResult,
} from '../../../server/file.ts'
import type { Ask, Misfit, ReadAnswer } from '../../asks/journal/ask.ts'

/** A text, or a function that is called for the first page alone. */
export type PagedText = string | (() => string | Promise<string>)

/** Runs each operation on files as a step of its handler. */
export interface FileSteps {
  /** @param work receives the id of the operation, the same when it is repeated */
  run<T>(kind: string, target: unknown, work: (operation: string) => Promise<T>): Promise<T>
}

/** What an upload asks for, and waits for. */
export interface UploadAsks {
  ask<Answer>(key: string | undefined, ask: Ask<Answer>): Promise<Answer>
  isAnswered(key: string): boolean
  webhook(key: string): Promise<string>
  event<T>(
    key: string,
    wait: () => EventWait,
    read: (value: unknown) => Promise<ReadAnswer<T> | Misfit>,
  ): Promise<T>
}

export interface KeyedUploadRequest extends UploadRequest {
  readonly key: string
}

/** @typeParam Call a parameter, because the deployment of a call has these operations */
export interface FileOperations<Call> {
  createFile(
    call: Call,
    steps: FileSteps,
    name: string,
    data: FileData,
    options?: FileOptions,
  ): Promise<StoredFile>
  pageText(call: Call, steps: FileSteps, text: PagedText, options?: PageOptions): Promise<TextPage>
  askForFile(
    call: Call,
    steps: FileSteps,
    asks: UploadAsks,
    request: KeyedUploadRequest,
  ): Promise<UploadResult>
  readFile(call: Call, uri: string): Promise<ReadResourceResult>
}
