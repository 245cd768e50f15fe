/** A grant that is about to be refreshed. */
import type { GrantState } from '../../../ports/grant.ts'
import type { PersonAttributes } from '../../people/attributes.ts'
import { splitProps } from '../stored-props.ts'

/** A grant with what its login says about it now. */
export interface PresentGrant extends GrantState {
  readonly attributes: PersonAttributes | undefined
  /** Whether its props and attributes are not those that are stored. */
  readonly isChanged: boolean
}

/** A grant about which its login has said nothing new. */
export function asStored(state: GrantState): PresentGrant {
  return { ...state, ...splitProps(state.props), isChanged: false }
}
