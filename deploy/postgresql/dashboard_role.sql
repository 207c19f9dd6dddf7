-- Lets a login role read the views of the schema `reporting`, and nothing else. After the server has
-- made the schema, as a superuser or a role that may create roles:
--
--   SCHEDLAB_DASHBOARD_PASSWORD=... psql -X -v login=grafana -f dashboard_role.sql DATABASE
--
-- May be run again: it then sets the password and the settings anew. Settings of schedlab_reader are
-- not inherited, which is why they are given to the login role.
\set ON_ERROR_STOP on
\getenv password SCHEDLAB_DASHBOARD_PASSWORD

BEGIN;

SELECT format('CREATE ROLE %I LOGIN', :'login')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'login')
\gexec

ALTER ROLE :"login" WITH LOGIN PASSWORD :'password' CONNECTION LIMIT 20
  NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
ALTER ROLE :"login" SET statement_timeout = '30s';
ALTER ROLE :"login" SET default_transaction_read_only = on;
ALTER ROLE :"login" SET idle_in_transaction_session_timeout = '60s';
GRANT schedlab_reader TO :"login";

COMMIT;
