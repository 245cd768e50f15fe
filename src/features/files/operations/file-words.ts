/** Sizes and types of files in the words of people, for pages and questions. */
import { essenceOf } from '../../../protocol/file-name.ts'

/** Names of types that people know by the program that opens them, or by their extension. */
const NAMES: Readonly<Record<string, string>> = {
  '*/*': 'any file',
  'application/json': 'JSON',
  'application/msword': 'Word',
  'application/pdf': 'PDF',
  'application/vnd.ms-excel': 'Excel',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
  'application/xml': 'XML',
  'application/yaml': 'YAML',
  'application/zip': 'ZIP',
  'audio/*': 'audio',
  'audio/mpeg': 'MP3',
  'audio/wav': 'WAV',
  'image/*': 'image',
  'image/gif': 'GIF',
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/svg+xml': 'SVG',
  'image/webp': 'WebP',
  'text/*': 'text',
  'text/csv': 'CSV',
  'text/html': 'HTML',
  'text/markdown': 'Markdown',
  'text/plain': 'plain text',
  'video/*': 'video',
  'video/mp4': 'MP4',
}

/** Such as `PNG or JPEG`. A type without a known name is written as it is. */
export function typeWords(types: readonly string[]): string {
  const names = new Set(types.map((type) => NAMES[essenceOf(type)] ?? type))
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const

/** Such as `1.5 MB`, in powers of 1000. Never more than the number of bytes. */
export function sizeWords(bytes: number): string {
  let unit = 0
  let size = bytes
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${Math.floor(size * 10) / 10} ${UNITS[unit]}`
}

/** Such as `PNG or JPEG, at most 5 MB`; empty for any file. */
export function boundsWords({
  types,
  maxBytes,
}: {
  readonly types?: readonly string[] | undefined
  readonly maxBytes?: number | undefined
}): string {
  return [
    ...(types === undefined ? [] : [typeWords(types)]),
    ...(maxBytes === undefined ? [] : [`at most ${sizeWords(maxBytes)}`]),
  ].join(', ')
}
