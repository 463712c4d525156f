import { identityOf, noteRecords } from '../../read-models/changes/maintain.ts'
import { type Step, stepsFor } from '../../read-models/steps.ts'
import { upsertRecords } from './upsert.ts'

/** Action templates, before the campaigns that refer to them; those that are removed go at the end of the batch (`removeReferred`). */
export const mergeActionTemplates: Step[] = stepsFor(
  ['actionTemplate'],
  `with merged as (${upsertRecords(
    'actionTemplate',
    'action_templates',
    ['id'],
    ['project_id', 'action_type', 'project_image', 'description', 'category'],
  )} returning id)
      ${noteRecords(
        identityOf('actionTemplate', { id: 'id' }),
        `(select id from merged union all
          select id from staged_actiontemplate join action_templates using (id) where is_removed) changed`,
      )}`,
)
