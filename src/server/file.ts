/** The types of `ctx.file`, `ctx.page`, `ctx.upload` and `ctx.files`. `../features/files` implements them. */
import type { ContentBlock, ResourceLink, TextContent } from '../protocol/content.ts'
import type { AskOptions } from './ask.ts'
import type { ToolDefinition } from './definition.ts'

/**
 * Why an operation on files failed: the `reason` of its `ToolError`.
 * - `invalid-name`: the name is longer than 255 bytes of UTF-8, or contains a path, or characters that
 *   break or reorder lines.
 * - `too-large`: the file has more bytes than `files({ bytes })` or the `maxBytes` of its upload.
 * - `too-many`: the caller has as many files as `files({ perPrincipal })`.
 * - `no-space`: the files of the caller would have more bytes than `files({ bytesPerPrincipal })`.
 * - `expired`: the file does not exist any more.
 * - `unknown-cursor`: the cursor of `ctx.page` is expired, altered, or of another tool or caller.
 * - `not-uploaded`: no file was uploaded in time, or the person declined.
 * - `not-accepted`: the argument is no file in any form, or its type is not accepted.
 * - `unknown-file`: the handle or the URI of an argument is altered, or of another tool or caller.
 * - `not-downloaded`: the URL of an argument is not public, or its host did not send the file.
 */
export type FileErrorReason =
  | 'invalid-name'
  | 'too-large'
  | 'too-many'
  | 'no-space'
  | 'expired'
  | 'unknown-cursor'
  | 'not-uploaded'
  | 'not-accepted'
  | 'unknown-file'
  | 'not-downloaded'

/** Text is stored as UTF-8. A stream is never in memory as a whole. */
export type FileData = string | ArrayBuffer | ArrayBufferView | Blob | ReadableStream<Uint8Array>

export interface FileOptions {
  /**
   * The media type. Default: that of a `Blob`, else that of the extension of the name, else `text/plain`
   * for text and `application/octet-stream`.
   */
  readonly mimeType?: string
  /** Milliseconds until the file expires. Default one day, at most `files({ ttlMs })`. */
  readonly ttlMs?: number
  /** A title for people. */
  readonly title?: string
  /** A description for the model. */
  readonly description?: string
  /** Whom the file is for. */
  readonly annotations?: ResourceLink['annotations']
}

export interface FileUrlOptions {
  /** Milliseconds until the URL expires. Default 15 minutes, at most as long as the file. */
  readonly ttlMs?: number
}

/**
 * A file that is stored. It is a resource link: a tool returns it among its content. Only the same
 * issuer, subject and resource can read its URI with `resources/read`; that of an anonymous caller is for
 * every anonymous caller that has it.
 */
export interface StoredFile extends ResourceLink {
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /**
   * Returns a URL that downloads the file without a sign-in. A program that has it can read the file until
   * it expires. It is another one each time: an ask that contains it needs a `key`.
   *
   * @throws {TypeError} for a malformed time
   */
  url(options?: FileUrlOptions): Promise<string>
  /** @throws {ToolError} `expired` */
  stream(): Promise<ReadableStream<Uint8Array>>
  /**
   * Reads the whole file into memory: a Worker has 128 MB.
   *
   * @throws {ToolError} `expired`
   */
  bytes(): Promise<Uint8Array>
  /**
   * Reads the whole file as UTF-8, with U+FFFD for what is not.
   *
   * @throws {ToolError} `expired`
   */
  text(): Promise<string>
  /** The same as `bytes()`, as an `ArrayBuffer`. @throws {ToolError} `expired` */
  arrayBuffer(): Promise<ArrayBuffer>
  /**
   * Computes the SHA-256 of the stored bytes without having them in memory as a whole: 64 lower-case hexadecimal digits.
   *
   * @throws {ToolError} `expired`
   */
  sha256(): Promise<string>
  /**
   * Returns the blocks with which a tool hands out the file: `return file.content()`. Default: an image of at most 1 MiB that
   * models read as an image block, and for every file its link and its URL as text.
   *
   * @throws {TypeError} for another form
   */
  content(options?: FileContentOptions): Promise<readonly ContentBlock[]>
}

export interface FileContentOptions extends FileUrlOptions {
  /**
   * `link`: the resource link, which clients read with `resources/read`. `url`: the URL as text, which every model passes on. `embedded`: the contents in
   * the result; a file above 1 MiB is linked, with its URL.
   */
  readonly as?: 'link' | 'embedded' | 'url'
}

export interface PageOptions {
  /** The argument of the tool with which the model asks for a further page. Undefined for the first page. */
  readonly cursor?: string | undefined
  /** The name of that argument. Default `cursor`. */
  readonly argument?: string
  /**
   * Maximum size of one page in bytes of UTF-8, of which about three are a token. At least 1,000. Default
   * 60,000, or less for a client that is known to pass less on to the model.
   */
  readonly pageBytes?: number
  /** Milliseconds until the cursors expire. Default one hour, at most `files({ ttlMs })`. */
  readonly ttlMs?: number
}

/** One page of a text. A tool returns it as its result. */
export interface TextPage {
  /** The page, and where there is more text, a notice with the next cursor. */
  readonly content: TextContent[]
  /** The page alone. */
  readonly text: string
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

export interface UploadRequest extends AskOptions {
  /** What is asked for, shown to the person by the client. */
  readonly message: string
  /** Maximum size in bytes. Default `files({ bytes })`, which is also the most. */
  readonly maxBytes?: number
  /**
   * Accepted media types, such as `text/csv` or `image/*`. They are compared with what the sender says,
   * which need not be true. Default: all.
   */
  readonly mimeTypes?: readonly string[]
  /**
   * How long the person may take, in milliseconds. Default `asks({ answerTimeoutMs })`; only a task may wait
   * longer.
   */
  readonly timeoutMs?: number
  /** Milliseconds until the uploaded file expires. Default one day, at most `files({ ttlMs })`. */
  readonly ttlMs?: number
}

/** What the person did. */
export type UploadResult =
  | { readonly action: 'accept'; readonly file: StoredFile }
  | { readonly action: 'decline' | 'cancel'; readonly file?: undefined }

/** The member by which a tool recognises the value of `file()`. Internal: not part of the public API. */
export const DEFINE_FILES: unique symbol = Symbol('edgeway.files')

/** The files that a tool takes, by the names of their arguments. */
export type FileArguments = Readonly<Record<string, FileArgument>>

export interface FileArgumentOptions<Required extends boolean = boolean> {
  /** What the file is for. The model reads it. */
  readonly description?: string
  /** Maximum size in bytes. Default `files({ bytes })`, which is also the most. */
  readonly maxBytes?: number
  /**
   * Accepted media types, such as `text/csv` or `image/*`. They are compared with what the sender says,
   * which need not be true. Default: all.
   */
  readonly types?: readonly string[]
  /** Whether a call without the file asks for it. Default true. */
  readonly required?: Required
  /** Milliseconds until the received file expires. Default one day, at most `files({ ttlMs })`. */
  readonly ttlMs?: number
}

/** The value of `file()`. */
export interface FileArgument<Required extends boolean = boolean>
  extends FileArgumentOptions<Required> {
  readonly required: Required
  /** @internal Adds the arguments to a tool. @throws {TypeError} that begins with the subject */
  readonly [DEFINE_FILES]: (
    subject: string,
    files: FileArguments,
    tool: ToolDefinition,
  ) => ToolDefinition
}

/** A file that a tool has received, in any way. Its name is safe; its type is what the sender said. */
export type UploadedFile = StoredFile

/** The files of a call, by the names of their arguments. */
export type ReceivedFiles<Files extends FileArguments> = {
  readonly [Name in keyof Files]: Files[Name] extends FileArgument<true>
    ? UploadedFile
    : UploadedFile | undefined
}
