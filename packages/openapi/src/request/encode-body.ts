/** Encodes the argument of the request body in its media type. */
import { isJsonObject, type JsonObject, jsonText } from '../../../../src/protocol/json.ts'
import { decodeBytes, type EncodedBody, objectOf } from './body-value.ts'
import { encodeMultipart } from './encode-multipart.ts'
import { serializeQuery } from './parameter-style.ts'
import { isJsonType, type RequestBody } from './request-body.ts'

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
      return encodeMultipart(description, objectOf(value))
  }
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
