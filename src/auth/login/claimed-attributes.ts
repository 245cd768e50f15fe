/** The attributes of a person in the claims of an id token. */
import { type PersonAttributes, readAttributes } from '../people/attributes.ts'

/** The claims of a verified id token. */
export type IdClaims = { readonly sub: string; readonly [name: string]: unknown }

/** Attributes as claims have them: values that are no attributes count as missing. */
export type ClaimedAttributes = { readonly [Name in keyof PersonAttributes]?: unknown }

export function attributesOfClaims(
  claims: IdClaims,
  own: ((claims: IdClaims) => ClaimedAttributes) | undefined,
): PersonAttributes | undefined {
  return readClaimed({
    id: claims.sub,
    emails: isVerified(claims.email_verified) ? claims.email : [],
    groups: claims.groups,
    ...own?.(claims),
  })
}

/** A claim is the provider's: one of another form is ignored, so that no allow-list matches it. */
export function readClaimed({
  id,
  emails,
  groups,
  organizations,
}: ClaimedAttributes): PersonAttributes | undefined {
  return readAttributes({
    ...((typeof id === 'string' || typeof id === 'number') && { id }),
    emails: textsIn(emails),
    groups: textsIn(groups),
    ...(Array.isArray(organizations) && { organizations }),
  })
}

/** Some providers write the value as text. */
function isVerified(claim: unknown): boolean {
  return claim === true || claim === 'true'
}

/** Some providers write a list with one value as a text. The text is one value, also if it has separators. */
function textsIn(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return values.filter((value) => typeof value === 'string')
}
