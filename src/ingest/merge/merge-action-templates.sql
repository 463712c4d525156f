-- name: mergeActionTemplates
-- Action templates that come or change, and a note of those that go. An unchanged one writes nothing.
with merged as (
  insert into action_templates as target (id, project_id, action_type, project_image, description, category)
  select id, project_id, action_type, project_image, description, category from staged_actiontemplate
  where is_removed is null
  on conflict (id) do update
  set project_id = excluded.project_id, action_type = excluded.action_type, project_image = excluded.project_image,
    description = excluded.description, category = excluded.category
  where (target.project_id, target.action_type, target.project_image, target.description, target.category)
    is distinct from (excluded.project_id, excluded.action_type, excluded.project_image, excluded.description, excluded.category)
  returning id
)
insert into pending_changes (kind, details)
select 'records.changed', jsonb_build_object('type', 'actionTemplate', 'id', id)
from (
  select id from merged
  union all
  select id from staged_actiontemplate join action_templates using (id) where is_removed
) changed;
