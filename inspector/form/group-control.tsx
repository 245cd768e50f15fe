/** The members of an object. One that is not required is added first. */
import type { ControlProps } from './control-props.ts'
import type { Plan } from './plan.ts'
import { initialOf, pathOf, type Value } from './value.ts'

type GroupProps = ControlProps<Extract<Plan, { kind: 'group' }>>

export function GroupControl({ plan, name, path, isRequired, value, onChange, Field }: GroupProps) {
  if (value === undefined && !isRequired) {
    return (
      <button type="button" class="small" onClick={() => onChange(initialOf(plan, true))}>
        Add<span class="hidden"> {name}</span>
      </button>
    )
  }
  const members = (value ?? {}) as { readonly [member: string]: Value }
  return (
    <div class={name === undefined ? 'group' : 'group nested'}>
      {plan.members.map((member) => (
        <Field
          key={member.name}
          plan={member.plan}
          name={member.name}
          path={pathOf(path, member.name)}
          isRequired={member.isRequired}
          value={members[member.name]}
          onChange={(next) => onChange({ ...members, [member.name]: next })}
        />
      ))}
      {!isRequired && (
        <button type="button" class="small" onClick={() => onChange(undefined)}>
          Remove<span class="hidden"> {name}</span>
        </button>
      )}
    </div>
  )
}
