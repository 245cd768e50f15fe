/** Encodes the argument of the request body in its media type. */
import { safeFileName } from '../../protocol/file-name.ts'
import { isJsonObject, type JsonObject, jsonText } from '../../protocol/json.ts'
import { ToolError } from '../../server/tool-error.ts'
import { serializeQuery } from './parameter-style.ts'
import { isJsonType, type RequestBody } from './request-body.ts'

export interface EncodedBody {
  readonly body: string | Uint8Array<ArrayBuffer> | FormData
  /** Undefined for a multipart body: its type contains the boundary, which the platform chooses. */
  readonly contentType: string | undefined
}

/** @throws {ToolError} for a value that the media type cannot carry */
export function encodeBody(description: RequestBody, value: unknown): EncodedBody {
  const { form, mediaType: contentType } = description
  switch (form) {
    case 'json':
      return { body: jsonText(value), contentType }
    case 'text':
      return { body: String(value), contentType }
    case 'binary':
      return { body: decodeBytes('body', value), contentType }
    case 'form':
      return { body: encodeForm(description, objectOf(value)), contentType }
    case 'multipart':
      return { body: encodeMultipart(description, objectOf(value)), contentType: undefined }
  }
}

function objectOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  throw new ToolError('Invalid arguments: body must be an object')
}

/** Objects are JSON, unless the description gives them a style. @see https://spec.openapis.org/oas/v3.1.1#encoding-object */
function encodeForm({ encoding }: RequestBody, value: JsonObject): string {
  const pairs = Object.entries(value).flatMap(([name, item]) => {
    const { style, explode, allowReserved = false, contentType = '' } = encoding.get(name) ?? {}
    const isStyled = style !== undefined || explode !== undefined || allowReserved
    const isJson = isJsonObject(item) || (Array.isArray(item) && isJsonType(contentType))
    const text = isJson && !isStyled ? jsonText(item) : item
    const chosen = style ?? 'form'
    return serializeQuery(name, text, {
      style: chosen,
      explode: explode ?? (chosen === 'form' || chosen === 'deepObject'),
      allowReserved,
    })
  })
  return pairs.join('&').replaceAll('%20', '+')
}

function encodeMultipart({ encoding, files }: RequestBody, value: JsonObject): FormData {
  const form = new FormData()
  for (const [name, item] of Object.entries(value)) {
    // The platform escapes a line feed in the header of a part, and not a lone carriage return.
    if (/\p{Cc}/u.test(name)) {
      throw new ToolError(
        `Invalid arguments: the name ${JSON.stringify(name)} in body must not have control characters`,
      )
    }
    const contentType = encoding.get(name)?.contentType
    // An array is one part per item.
    for (const one of Array.isArray(item) ? item : [item]) {
      if (one === null || one === undefined) continue
      if (files.has(name)) appendFile(form, name, one, contentType)
      else if (typeof one === 'object') {
        const type = contentType ?? 'application/json'
        form.append(name, new File([jsonText(one)], name, { type }))
      } else form.append(name, String(one))
    }
  }
  return form
}

function appendFile(
  form: FormData,
  name: string,
  value: unknown,
  defaultType = 'application/octet-stream',
): void {
  const { data, filename, contentType } = objectOf(value)
  const type = typeof contentType === 'string' ? contentType : defaultType
  const fileName = typeof filename === 'string' && filename !== '' ? safeFileName(filename) : name
  form.append(name, new File([decodeBytes(`body.${name}.data`, data)], fileName, { type }))
}

function decodeBytes(argument: string, value: unknown): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(String(value))
  } catch {
    // Not base64.
    throw new ToolError(`Invalid arguments: ${argument} must be base64`)
  }
}
