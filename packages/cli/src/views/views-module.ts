/** The module that has the documents of the views. */

import { basename, dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BuiltView } from './build-view.ts'
import type { ViewSource } from './view-sources.ts'

export const DOCUMENTS_LINE =
  '// Written by `edgeway views build`. Change the files of the views instead.\n'

export const uriOf = ({ name }: ViewSource) => `ui://views/${name}`

/** The same text for the same views. */
export function viewsModule(views: readonly BuiltView[]): string {
  const constants = views.map(
    (view) => `
/** ${basename(dirname(view.path))}/${basename(view.path)} */
export const ${view.identifier} = view({
  uri: '${uriOf(view)}',
  html: ${JSON.stringify(view.html).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')},
})
`,
  )
  return `${DOCUMENTS_LINE}import { view } from 'edgeway/apps'\n${constants.join('')}`
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`

export const sizeOf = ({ html, bytes }: BuiltView) =>
  `${kilobytes(bytes)}, ${kilobytes(gzipSync(html, { level: 9 }).byteLength)} with gzip`
