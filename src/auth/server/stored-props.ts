/**
 * The props of a grant as they are stored: those of the login and the hooks, and the attributes of the
 * person. Hooks and handlers do not see the attributes, and a hook that replaces the props keeps them.
 */
import type { GrantProps } from '../../protocol/auth-info.ts'
import type { PersonAttributes } from '../people/attributes.ts'

const ATTRIBUTES = 'edgeway:person'

export interface StoredProps {
  readonly props: GrantProps | undefined
  /** Undefined for a login without attributes. */
  readonly attributes: PersonAttributes | undefined
}

export function joinProps({ props, attributes }: StoredProps): GrantProps | undefined {
  return attributes === undefined ? props : { ...props, [ATTRIBUTES]: attributes }
}

export function splitProps(stored: GrantProps | undefined): StoredProps {
  if (stored === undefined || !Object.hasOwn(stored, ATTRIBUTES)) {
    return { props: stored, attributes: undefined }
  }
  const { [ATTRIBUTES]: attributes, ...props } = stored
  return {
    props: Object.keys(props).length === 0 ? undefined : props,
    attributes: attributes as PersonAttributes,
  }
}
