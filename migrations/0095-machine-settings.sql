-- The settings in which the processes of an installation must agree, each process stating those that its roles use. A process of
-- an earlier release states none.
alter table machine add column settings jsonb not null default '{}';
