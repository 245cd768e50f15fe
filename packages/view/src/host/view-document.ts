/** Reads the document of a view from the result of `resources/read`. */
import { isObject, type Members } from '../frame.ts'

export interface ViewDocument {
  readonly html: string
  /** The members of `_meta.ui`. */
  readonly csp: Members
  readonly permissions: Members
  readonly prefersBorder: boolean
}

const VIEW_TYPE = 'text/html;profile=mcp-app'

/** @returns a sentence where hosts would show nothing */
export function readViewDocument(uri: string, result: Members): ViewDocument | string {
  const [contents] = Array.isArray(result.contents) ? (result.contents as unknown[]) : []
  if (!isObject(contents)) return `${uri} has no contents: return the document of the view`
  const { mimeType, text, blob, _meta } = contents
  if (mimeType !== VIEW_TYPE) {
    return `${uri} has the type ${String(mimeType)}: hosts show ${VIEW_TYPE} alone, which view() sets`
  }
  const html = typeof text === 'string' ? text : textOfBlob(blob)
  if (html === undefined) return `${uri} has neither text nor blob: return the document as text`
  const ui = membersOf(membersOf(_meta).ui)
  return {
    html,
    csp: membersOf(ui.csp),
    permissions: membersOf(ui.permissions),
    prefersBorder: ui.prefersBorder === true,
  }
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {})

function textOfBlob(blob: unknown): string | undefined {
  if (typeof blob !== 'string') return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(blob), (byte) => byte.charCodeAt(0)))
  } catch {
    // It is no base64.
    return undefined
  }
}
