/** The fault of a description: what is wrong, where, and what to do. */
import { ConfigurationError } from '../../../../src/platform/configuration-error.ts'

/** A place in the document, innermost first. It becomes text only in a message. */
export interface Place {
  readonly parent: Place | undefined
  readonly token: string
}

/** Returns the place of a member of an object or of an array. */
export function member(parent: Place | undefined, token: string | number): Place {
  return { parent, token: String(token) }
}

/** A JSON pointer as a URI fragment, such as `#/paths/~1pets/get`. @see https://www.rfc-editor.org/rfc/rfc6901#section-6 */
export function pointerOf(place: Place | undefined): string {
  const tokens: string[] = []
  for (let at = place; at !== undefined; at = at.parent) {
    tokens.unshift(at.token.replaceAll('~', '~0').replaceAll('/', '~1'))
  }
  return ['#', ...tokens].join('/')
}

/** A part of the description that cannot be served. `pointer` is the JSON pointer of the part. */
export type DescriptionError = ConfigurationError & { readonly pointer: string }

export function descriptionError(reason: string, place: Place | undefined): DescriptionError {
  const pointer = pointerOf(place)
  return Object.assign(new ConfigurationError(`${reason} (at ${pointer})`), { pointer })
}

export function isDescriptionError(error: unknown): error is DescriptionError {
  return error instanceof ConfigurationError && 'pointer' in error
}
