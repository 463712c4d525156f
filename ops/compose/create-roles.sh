# Run by the image of PostgreSQL, once, on an empty volume: the two roles of the service, and its database.
psql --username=postgres --dbname=postgres --set=ON_ERROR_STOP=1 <<'SQL'
\set owner_password `cat /run/secrets/owner-password`
\set serving_password `cat /run/secrets/serving-password`
create role reward_campaigns login password :'owner_password';
create role reward_campaigns_serving login password :'serving_password';
create database reward_campaigns owner reward_campaigns;
SQL
