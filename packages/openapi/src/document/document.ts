/** The description as parsed JSON: its version, and its references within the document. */
import { isJsonObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { pointedKey } from '../../../../src/server/schema/json-pointer.ts'
import { descriptionError, member, type Place } from './description-error.ts'

/** Maximum number of references from one to the next, and within one pointer. */
const MAX_REFERENCES = 100

/** Maximum length of a reference that a message quotes, in UTF-16 code units. */
const MAX_QUOTED = 200

export interface Located {
  readonly value: unknown
  readonly place: Place | undefined
}

export interface LocatedObject extends Located {
  readonly value: JsonObject
}

export class OpenAPIDocument {
  readonly root: JsonObject
  /** 3.0 has its own dialect of JSON Schema; 3.1 uses 2020-12. */
  readonly isVersion30: boolean

  /** @throws {TypeError} for a value that is not a description, and for a version other than 3.0 and 3.1 */
  constructor(document: unknown) {
    if (!isJsonObject(document)) {
      throw new TypeError(
        'The OpenAPI description must be an object: parse its JSON, or convert its YAML to JSON at build',
      )
    }
    this.root = document
    this.isVersion30 = checkVersion(document)
  }

  /**
   * Returns the members of a map of the document, such as `paths`. An absent map is empty. Descriptions of several files
   * may have a reference in place of a map, and keep it when they are bundled.
   */
  entries(map: unknown, place: Place): [string, Located][] {
    if (map === undefined || map === null) return []
    const { value: members, place: at } = this.object({ value: map, place })
    return Object.entries(members).map(([key, value]) => [key, { value, place: member(at, key) }])
  }

  /**
   * Follows the references of an object, and returns the object at their end. `null` is an empty one: it is what YAML has
   * for a key without a value.
   *
   * @throws {DescriptionError} for a reference that leads nowhere, out of the document or back to itself
   */
  object({ value, place }: Located): LocatedObject {
    let at: Located = { value, place }
    for (let count = 0; count < MAX_REFERENCES; count++) {
      if (at.value === null) return { value: {}, place: at.place }
      if (!isJsonObject(at.value)) throw descriptionError('it must be an object', at.place)
      if (typeof at.value.$ref !== 'string') return { value: at.value, place: at.place }
      at = this.target(at.value.$ref, at.place)
    }
    throw descriptionError('its references lead back to themselves', place)
  }

  /** Returns the target of one reference. */
  target(ref: string, from: Place | undefined): Located {
    const quoted = JSON.stringify(ref.slice(0, MAX_QUOTED))
    if (ref !== '#' && !ref.startsWith('#/')) {
      throw descriptionError(
        `the reference ${quoted} does not point into this document; bundle the files of the description into one at build: npx @redocly/cli bundle openapi.yaml -o openapi.json`,
        from,
      )
    }
    let at: Located = { value: this.root, place: undefined }
    let references = 0
    for (const token of ref === '#' ? [] : ref.slice(2).split('/')) {
      const key = pointedKey(token)
      // A pointer may lead through an object that is itself a reference.
      while (key !== undefined && isReference(at.value) && !Object.hasOwn(at.value, key)) {
        if (++references > MAX_REFERENCES) break
        at = this.target(at.value.$ref, at.place)
      }
      const { value } = at
      if (
        key === undefined ||
        typeof value !== 'object' ||
        value === null ||
        !Object.hasOwn(value, key)
      ) {
        throw descriptionError(`the reference ${quoted} leads nowhere`, from)
      }
      at = { value: (value as JsonObject)[key], place: member(at.place, key) }
    }
    return at
  }
}

function isReference(value: unknown): value is JsonObject & { readonly $ref: string } {
  return isJsonObject(value) && typeof value.$ref === 'string'
}

function checkVersion({ openapi, swagger }: JsonObject): boolean {
  if (typeof openapi === 'string' && /^3\.[01](?:\.|$)/.test(openapi)) {
    return openapi.startsWith('3.0')
  }
  if (swagger !== undefined) {
    throw new TypeError(
      'The description is Swagger 2.0. Convert it to OpenAPI 3 at build, for example with: npx swagger2openapi swagger.json -o openapi.json',
    )
  }
  const found = JSON.stringify(openapi)?.slice(0, MAX_QUOTED) ?? 'missing'
  throw new TypeError(
    `The member "openapi" of the description is ${found}; versions 3.0 and 3.1 are supported, as a text such as "3.1.0". A description of 3.2 that uses no new feature can be declared as "3.1.1"`,
  )
}
