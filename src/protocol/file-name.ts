/** Names and types of files, which a person sees and a browser uses to store them. */
import { utf8Length } from '../platform/utf8.ts'

/** Maximum size of a name in bytes of UTF-8: what common file systems allow. */
export const MAX_FILE_NAME_BYTES = 255

/** Maximum length of a media type with its parameters. */
const MAX_MEDIA_TYPE_LENGTH = 255

/**
 * Characters that break lines, are invisible to a file system, or reorder the text around them, so that
 * `gpj.exe` is shown as `exe.jpg`.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Longest extension that is kept when a name is cut, with its dot. */
const MAX_EXTENSION_BYTES = 16

/**
 * Returns the name without what is unsafe: folders, control and direction characters, unpaired surrogates,
 * spaces and dots at its end. A name that is too long is cut before its extension. A safe name is returned
 * as it is.
 */
export function safeFileName(name: string): string {
  const [base = ''] = name.split(/[/\\]/).slice(-1)
  const safe = trimEnd(base.toWellFormed().replace(UNSAFE, '').trimStart())
  if (safe === '') return 'file'
  return utf8Length(safe) <= MAX_FILE_NAME_BYTES ? safe : cut(safe)
}

/** Windows removes dots and spaces at the end of a name, and then stores another one. */
function trimEnd(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1]?.trim() === '')) end -= 1
  return name.slice(0, end)
}

function cut(name: string): string {
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 ? name.slice(dot) : ''
  const extension = utf8Length(ending) <= MAX_EXTENSION_BYTES ? ending : ''
  let room = MAX_FILE_NAME_BYTES - utf8Length(extension)
  let kept = ''
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= utf8Length(character)
    if (room < 0) break
    kept += character
  }
  return trimEnd(kept) + extension
}

const MEDIA_TYPE =
  /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?: *; *[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[\w !#$%&'()*+,./:<=>?@[\]^`{|}~-]*"))*$/

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 */
export function isMediaType(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(text)
}

/** The type and subtype in lower case, without parameters. */
export function essenceOf(mediaType: string): string {
  const [essence = ''] = mediaType.split(';')
  return essence.trim().toLowerCase()
}
