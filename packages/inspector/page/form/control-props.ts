/** What a field and its control get. */
import type { FunctionComponent } from 'preact'
import type { Plan } from './plan.ts'
import type { Value } from './value.ts'

export interface FieldProps {
  readonly plan: Plan
  /** The name of the member; undefined for the whole value. */
  readonly name: string | undefined
  /** Of the value in the whole form. */
  readonly path: string
  readonly isRequired: boolean
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** What a control gets, beside the plan of its kind. */
export interface ControlProps<P = Plan> extends Omit<FieldProps, 'plan'> {
  readonly plan: P
  /** The control of a value inside of this one. */
  readonly Field: FunctionComponent<FieldProps>
  readonly attributes: ControlAttributes
}

/** Connects a control with its label, description and problem. */
export interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean
}
