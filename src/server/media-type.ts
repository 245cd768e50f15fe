/** Media types of files by extension. */

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
}

/** @param isText what a file of an unknown extension contains */
export function mediaTypeOf(path: string, isText: boolean): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(TYPES, extension)
    ? (TYPES[extension] as string)
    : isText
      ? 'text/plain'
      : 'application/octet-stream'
}
